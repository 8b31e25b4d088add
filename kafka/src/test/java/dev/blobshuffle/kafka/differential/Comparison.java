package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs on both sides, step by step, several concurrently, and compares the results of each
 * step. All programs of a class share the brokers, the admins and the blob engines.
 */
final class Comparison {
    /** Number of concurrent programs: a program spends most of its time waiting. */
    private static final int TOGETHER = Integer.getInteger("differential.together", 10);

    private static @Nullable Comparison shared;

    private final EmbeddedKafka kafka;
    private final String bootstrap;
    private final Map<Setup.Batching, Map<Door, Admin>> admins = new EnumMap<>(Setup.Batching.class);

    /** One producer per engine keeps it open across programs. */
    private final List<Producer<byte[], byte[]>> anchors = new ArrayList<>();

    private final ExecutorService together = Executors.newFixedThreadPool(TOGETHER, Comparison::daemon);
    private final ExecutorService natively = Executors.newCachedThreadPool(Comparison::daemon);
    private final AtomicLong programs = new AtomicLong();
    private final AtomicLong finished = new AtomicLong();

    private Comparison() {
        kafka = EmbeddedKafka.builder()
                .property("group.consumer.heartbeat.interval.ms", 100)
                .property("transaction.state.log.num.partitions", 1)
                .start();
        bootstrap = kafka.bootstrapServers();
        for (Setup.Batching batching : Setup.Batching.values()) {
            Map<Door, Admin> own = new EnumMap<>(Door.class);
            for (Door door : Door.values()) {
                own.put(door, door.admin(settings(door, batching)));
            }
            admins.put(batching, own);
            own.forEach(
                    (door, admin) -> admin.createTopics(List.of(new NewTopic(door.besides(batching), 1, (short) 1))));
            anchors.add(Door.BLOBS.producer(settings(Door.BLOBS, batching)));
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "differential");
        thread.setDaemon(true);
        return thread;
    }

    private Map<String, Object> settings(Door door, Setup.Batching batching) {
        Map<String, Object> settings = new HashMap<>(door.settings(batching));
        settings.put("bootstrap.servers", bootstrap);
        return settings;
    }

    static synchronized Comparison shared() {
        Comparison present = shared;
        if (present == null) {
            present = new Comparison();
            shared = present;
        }
        return present;
    }

    /** Closes the shared parts, because other tests of the JVM count engines. */
    static synchronized void closeShared() {
        Comparison present = shared;
        shared = null;
        if (present != null) {
            present.close();
        }
    }

    private void close() {
        anchors.forEach(Producer::close);
        admins.values().forEach(own -> own.values().forEach(Admin::close));
        together.shutdown();
        natively.shutdown();
        kafka.close();
    }

    /** Runs programs concurrently, and fails if any result differs. */
    void run(List<Program> drawn) {
        List<Future<Optional<String>>> all = drawn.stream()
                .map(program -> together.submit(() -> difference(program)))
                .toList();
        List<String> found = new ArrayList<>();
        all.forEach(each -> get(each).ifPresent(found::add));
        if (!found.isEmpty()) {
            throw new AssertionError(String.join("\n\n", found));
        }
    }

    /** Runs a program up to the first step whose results differ, and describes that difference. */
    private Optional<String> difference(Program program) {
        Setup setup = program.setup();
        long number = programs.incrementAndGet();
        long started = System.currentTimeMillis();
        Map<Door, Admin> own = admins.get(setup.batching());
        List<String> trace = new ArrayList<>();
        Future<Side> opened =
                natively.submit(() -> new Side(Door.NATIVE, setup, bootstrap, own.get(Door.NATIVE), number, started));
        try (Side blobs = new Side(Door.BLOBS, setup, bootstrap, own.get(Door.BLOBS), number, started);
                Side plain = get(opened)) {
            for (int i = 0; i < program.steps().size(); i++) {
                int record = i + 1;
                Step step = program.steps().get(i).chosenBy(blobs);
                Future<String> answer = natively.submit(() -> step.run(plain, record));
                String ours = step.run(blobs, record);
                String theirs = get(answer);
                trace.add(record + " " + step + "\n    " + theirs);
                if (!Differences.allow(theirs, ours)) {
                    return Optional.of("Step " + record + " of program " + number + " differs.\n" + setup + "\n"
                            + String.join("\n", trace) + "\n--- natively\n    " + theirs + "\n--- through blobs\n    "
                            + ours);
                }
            }
        }
        report();
        return Optional.empty();
    }

    private final long first = System.nanoTime();

    private void report() {
        long number = finished.incrementAndGet();
        if (number % 100 == 0) {
            System.out.println(
                    number + " programs, " + number * 60_000_000_000L / (System.nanoTime() - first) + " per minute");
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
