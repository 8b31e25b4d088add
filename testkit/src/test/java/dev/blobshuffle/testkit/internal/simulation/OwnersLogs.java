package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.simulation.OwnersCluster.Log;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The logs of a simulated cluster as a sweep reads them. Guarded by the simulation's baton. */
final class OwnersLogs implements NotificationLogs {
    private final OwnersCluster cluster;
    private final SimulatedTime time;

    OwnersLogs(OwnersCluster cluster, SimulatedTime time) {
        this.cluster = cluster;
        this.time = time;
    }

    private void pause() {
        time.pause(Duration.ofMillis(time.random(200)));
    }

    @Override
    public Set<String> topics() {
        pause();
        return cluster.topics();
    }

    @Override
    public Map<Partition, Term> terms(Predicate<String> topics) {
        pause();
        Map<Partition, Term> terms = new HashMap<>();
        for (Partition partition : cluster.partitions()) {
            if (topics.test(partition.stream())) {
                cluster.log(partition).ifPresent(log -> terms.put(partition, log.term()));
            }
        }
        return terms;
    }

    @Override
    public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException {
        Map<Partition, Extent> extents = new HashMap<>();
        for (Partition partition : cluster.partitions()) {
            if (topics.contains(partition.stream())) {
                pause();
                extents.put(partition, read(partition, receiver));
            }
        }
        return extents;
    }

    /** Others write, purge and elect meanwhile. */
    private Extent read(Partition partition, Receiver receiver) throws InterruptedException {
        Log log = cluster.log(partition).orElseThrow();
        Term term = log.term();
        boolean wasShort = log.isShort();
        long start = log.start();
        long end = log.end();
        pause();
        long visible = Math.min(end, log.visible());
        for (long offset = Math.max(start, log.start()); offset < visible; offset++) {
            receiver.notification(partition, offset, log.entry(offset), true);
        }
        receiver.read(100 * (visible - start));
        pause();
        return new Extent(start, end, Optional.of(term), doubt(cluster.log(partition), term, wasShort, visible < end));
    }

    private static Optional<String> doubt(Optional<Log> log, Term term, boolean wasShort, boolean isHidden) {
        if (wasShort || log.filter(Log::isShort).isPresent()) {
            return Optional.of("replicas are not in sync");
        }
        if (log.map(Log::term).filter(term::equals).isEmpty()) {
            return Optional.of("its leader, or its topic, changed while it was read");
        }
        return isHidden ? Optional.of("it has records above the high watermark") : Optional.empty();
    }

    @Override
    public Optional<String> goneBack(Map<Partition, Long> starts) {
        pause();
        return starts.entrySet().stream()
                .filter(start -> cluster.log(start.getKey())
                        .filter(log -> log.start() >= start.getValue())
                        .isEmpty())
                .map(start -> "the log of " + start.getKey() + " begins earlier than when it was read")
                .findFirst();
    }

    @Override
    public void close() {}
}
