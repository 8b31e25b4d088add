package dev.blobshuffle.messaging.differential;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs programs beside the model, one after the other. */
final class Comparison {
    /** So many programs share a database. */
    private static final int PROGRAMS = 200;

    private static final Comparison SHARED = new Comparison();

    private @Nullable World world;
    private int number;
    private final long started = System.nanoTime();

    static Comparison shared() {
        return SHARED;
    }

    /** Runs a program, and fails at the first call that differs from the model. */
    synchronized void run(Program program) {
        number++;
        List<String> trace = new ArrayList<>();
        try (Session session = new Session(open(), program.setup(), number)) {
            for (Step step : program.steps()) {
                trace.add(trace.size() / 2 + 1 + " " + step);
                trace.add("    " + step.run(session));
            }
            trace.add("end");
            session.finish();
        } catch (Exception | AssertionError e) {
            closeWorld(e);
            throw new AssertionError(
                    "Program " + number + " differs.\n" + program.setup() + "\n" + String.join("\n", trace) + "\n"
                            + e.getMessage(),
                    e);
        }
        if (number % PROGRAMS == 0) {
            closeWorld(null);
            System.out.println(
                    number + " programs, " + number * 60_000_000_000L / (System.nanoTime() - started) + " per minute");
        }
    }

    private World open() throws Exception {
        World open = world;
        if (open == null) {
            open = new World();
            world = open;
        }
        return open;
    }

    /** Closes what the programs have shared. */
    synchronized void close() {
        closeWorld(null);
    }

    /** After a failure nothing of it is used again. */
    private void closeWorld(@Nullable Throwable failure) {
        World closing = world;
        world = null;
        try {
            if (closing != null) {
                closing.close();
            }
        } catch (RuntimeException | AssertionError e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        }
    }
}
