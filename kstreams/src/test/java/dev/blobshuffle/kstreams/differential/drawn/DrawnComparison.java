package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Comparison;
import dev.blobshuffle.kstreams.differential.Comparison.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Runs programs on both sides, several at a time, and compares what they leave behind. */
final class DrawnComparison {
    private static @Nullable DrawnComparison shared;

    private final Run.Brokers brokers;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "drawn");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong programs = new AtomicLong();
    private final AtomicLong unrepeatable = new AtomicLong();
    private final long first = System.nanoTime();

    private DrawnComparison() {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        String bootstrap = kafka.bootstrapServers();
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "max.in.flight.requests.per.connection", 1);
        brokers = new Run.Brokers(
                bootstrap,
                Admin.create(Map.of("bootstrap.servers", bootstrap)),
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer()));
    }

    static synchronized DrawnComparison shared() {
        DrawnComparison present = shared;
        if (present == null) {
            present = new DrawnComparison();
            shared = present;
        }
        return present;
    }

    /** Runs programs at the same time, and fails with the first that differs. */
    void run(List<Program> together) {
        List<Future<?>> all = new ArrayList<>();
        for (Program program : together) {
            all.add(threads.submit(() -> {
                run(program);
                return null;
            }));
        }
        List<Throwable> failures = new ArrayList<>();
        for (Future<?> each : all) {
            try {
                get(each);
            } catch (AssertionError e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            AssertionError failure = new AssertionError(failures.get(0).getMessage(), failures.get(0));
            failures.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private void run(Program program) throws Exception {
        long number = numbers.incrementAndGet();
        Future<Map<String, Rows>> natively = threads.submit(new Run(program, Side.NATIVE, number, brokers)::run);
        Map<String, Rows> ours;
        try {
            ours = new Run(program, Side.BLOBS, number, brokers).run();
        } catch (Exception | Error e) {
            throw new AssertionError("Program " + number + " fails through blobs.\n" + program, e);
        }
        Map<String, Rows> theirs = get(natively);
        List<String> found = differences(program, theirs, ours);
        for (int i = 0; i < 2 && !found.isEmpty(); i++) {
            found = minus(found, differences(program, theirs, runAgain(program)));
        }
        if (!found.isEmpty()) {
            throw new AssertionError("Program " + number + " differs.\n" + program + String.join("\n", found) + "\n"
                    + new Run(program, Side.BLOBS, number, brokers).topology());
        }
        report();
    }

    private Map<String, Rows> runAgain(Program program) throws Exception {
        return new Run(program, Side.NATIVE, numbers.incrementAndGet(), brokers).run();
    }

    /** What differs and is not chance: native runs agree about it. */
    private List<String> minus(List<String> found, List<String> chance) {
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

    private static List<String> differences(Program program, Map<String, Rows> theirs, Map<String, Rows> ours) {
        return Comparison.differences(theirs, ours).stream()
                .filter(difference -> !DrawnDifferences.allow(program, difference))
                .collect(Collectors.toList());
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
