package dev.blobshuffle.messaging.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs programs beside the model, several concurrently, each with a database of its own. */
final class Comparison {
    /** Number of concurrent programs: a program spends most of its time waiting. */
    private static final int TOGETHER = Integer.getInteger("differential.together", 6);

    /** Most programs that use a database, one after another. */
    private static final int PROGRAMS = 200;

    private static final Comparison SHARED = new Comparison();

    private final ExecutorService together = Executors.newFixedThreadPool(TOGETHER, task -> {
        Thread thread = new Thread(task, "differential");
        thread.setDaemon(true);
        return thread;
    });

    /** The databases that no program uses. */
    private final ConcurrentLinkedDeque<World> worlds = new ConcurrentLinkedDeque<>();

    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private final long started = System.nanoTime();

    static Comparison shared() {
        return SHARED;
    }

    /** Runs programs concurrently, and fails if any differs from the model. */
    void run(List<Program> drawn) {
        List<AssertionError> found = differences(drawn, Fault.NONE);
        if (!found.isEmpty()) {
            AssertionError first = found.remove(0);
            found.forEach(first::addSuppressed);
            throw first;
        }
    }

    /** Runs programs concurrently, and returns their differences from the model. */
    List<AssertionError> differences(List<Program> drawn, Fault fault) {
        List<Future<Optional<AssertionError>>> all = drawn.stream()
                .map(program -> together.submit(() -> difference(program, fault)))
                .toList();
        List<AssertionError> found = new ArrayList<>();
        all.forEach(each -> get(each).ifPresent(found::add));
        return found;
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs a program up to the first call with another result. */
    private Optional<AssertionError> difference(Program program, Fault fault) throws Exception {
        int number = numbers.incrementAndGet();
        List<String> trace = new ArrayList<>();
        World world = open();
        world.fault = fault;
        try (Session session = new Session(world, program.setup(), number)) {
            for (Step step : program.steps()) {
                trace.add(trace.size() / 2 + 1 + " " + step);
                trace.add("    " + step.run(session));
            }
            trace.add("end");
            session.finish();
        } catch (Exception | AssertionError e) {
            close(world, e);
            return Optional.of(new AssertionError(
                    "Program " + number + " differs.\n" + program.setup() + "\n" + String.join("\n", trace) + "\n"
                            + e.getMessage(),
                    e));
        }
        if (world.countProgram() < PROGRAMS) {
            worlds.push(world);
        } else {
            close(world, null);
        }
        report();
        return Optional.empty();
    }

    private void report() {
        long done = finished.incrementAndGet();
        if (done % PROGRAMS == 0) {
            System.out.println(
                    done + " programs, " + done * 60_000_000_000L / (System.nanoTime() - started) + " per minute");
        }
    }

    private World open() throws Exception {
        World present = worlds.poll();
        return present == null ? new World() : present;
    }

    /** Closes the shared parts. */
    void close() {
        for (World each = worlds.poll(); each != null; each = worlds.poll()) {
            close(each, null);
        }
    }

    /** After a failure, a database is not used again. */
    private static void close(World closing, @Nullable Throwable failure) {
        try {
            closing.close();
        } catch (RuntimeException | AssertionError e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        }
    }
}
