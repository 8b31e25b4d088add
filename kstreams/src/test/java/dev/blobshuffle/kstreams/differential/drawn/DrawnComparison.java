package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Comparison;
import dev.blobshuffle.kstreams.differential.Comparison.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Runs programs on both sides, several concurrently, and compares their results. */
final class DrawnComparison {
    /** Number of smaller programs to try after a failure. */
    private static final int ATTEMPTS = Integer.getInteger("differential.attempts", 0);

    private static @Nullable DrawnComparison shared;

    private final Run.Brokers brokers;
    /** Limits the number of concurrent programs. */
    private final ExecutorService together =
            Executors.newFixedThreadPool(Integer.getInteger("differential.together", 10), DrawnComparison::daemon);

    private final ExecutorService threads = Executors.newCachedThreadPool(DrawnComparison::daemon);
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong programs = new AtomicLong();
    private final AtomicLong unrepeatable = new AtomicLong();
    private final AtomicLong repeating = new AtomicLong();
    private final long first = System.nanoTime();

    private DrawnComparison() {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        String bootstrap = kafka.bootstrapServers();
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "max.in.flight.requests.per.connection", 1);
        brokers = new Run.Brokers(
                bootstrap,
                Admin.create(Map.of("bootstrap.servers", bootstrap)),
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer()));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "drawn");
        thread.setDaemon(true);
        return thread;
    }

    static synchronized DrawnComparison shared() {
        DrawnComparison present = shared;
        if (present == null) {
            present = new DrawnComparison();
            shared = present;
        }
        return present;
    }

    /** Runs programs concurrently, and fails if any result differs. */
    void run(List<Program> drawn) {
        List<String> found = differing(drawn, Optional.empty());
        if (!found.isEmpty()) {
            throw new AssertionError(String.join("\n\n", found));
        }
    }

    /**
     * Runs programs concurrently.
     *
     * @return each program that differs, with its differences as texts
     */
    List<String> differing(List<Program> drawn, Optional<Fault> fault) {
        List<Future<Optional<String>>> all = drawn.stream()
                .map(program -> together.submit(() -> run(program, fault)))
                .toList();
        List<String> found = new ArrayList<>();
        all.forEach(each -> get(each).ifPresent(found::add));
        return found;
    }

    private Optional<String> run(Program program, Optional<Fault> fault) {
        List<String> found = differences(program, fault);
        report();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Program smaller = fault.isPresent()
                ? program
                : Shrinker.shrunk(program, each -> !differences(each, fault).isEmpty(), ATTEMPTS);
        return Optional.of("This program differs.\n" + program + String.join("\n", found)
                + (smaller.equals(program) ? "" : "\n--- as does this smaller one\n" + smaller) + "\n"
                + run(smaller, Side.BLOBS, fault).topology());
    }

    private Run run(Program program, Side side, Optional<Fault> fault) {
        return new Run(program, side, numbers.incrementAndGet(), brokers, fault);
    }

    /** The results that differ between the sides, and that native runs agree on. */
    private List<String> differences(Program program, Optional<Fault> fault) {
        Run blobs = run(program, Side.BLOBS, fault);
        try {
            Run plain = run(program, Side.NATIVE, Optional.empty());
            Future<Map<String, Rows>> natively = threads.submit(plain::run);
            Map<String, Rows> ours = blobs.run();
            Map<String, Rows> theirs = get(natively);
            if (!program.isAlwaysExactlyOnce() && (blobs.hasLostMember() || plain.hasLostMember())) {
                System.out.println(repeating.incrementAndGet()
                        + " programs have lost a member, and process what it had not committed again");
                return Comparison.missing(theirs, ours);
            }
            List<String> found = Comparison.differences(theirs, ours);
            for (int i = 0; i < 2 && !found.isEmpty() && fault.isEmpty(); i++) {
                Map<String, Rows> again = run(program, Side.NATIVE, fault).run();
                found = minus(program, found, Comparison.differences(theirs, again));
            }
            if (found.stream().anyMatch(each -> name(each).equals("end"))) {
                found.add("natively: " + plain.autopsy() + "\nthrough blobs: " + blobs.autopsy());
            }
            return found;
        } catch (Exception | Error e) {
            throw new AssertionError("This program fails.\n" + program + blobs.topology(), e);
        }
    }

    /** The differences that are not random, because native runs agree on them. */
    private List<String> minus(Program program, List<String> found, List<String> chance) {
        if (!chance.isEmpty()) {
            System.out.println(
                    unrepeatable.incrementAndGet() + " native results do not repeat: " + chance + "\n" + program);
        }
        List<String> names = chance.stream().map(DrawnComparison::name).toList();
        return found.stream().filter(each -> !names.contains(name(each))).toList();
    }

    private static String name(String difference) {
        return difference.substring(0, difference.indexOf(':'));
    }

    private void report() {
        long done = programs.incrementAndGet();
        if (done % 20 == 0) {
            System.out.println(
                    done + " programs, " + done * 60_000_000_000L / (System.nanoTime() - first) + " per minute");
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError error) {
                throw error;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
