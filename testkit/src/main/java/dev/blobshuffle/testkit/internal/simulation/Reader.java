package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Debatcher.Position;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An actor that polls its partitions of the log, hands notifications to a Debatcher, takes records
 * out of it, and commits positions, in the middle of segments too. A failure, or the loss of a
 * partition, rolls back to the last commit. Guarded by the simulation's baton.
 */
final class Reader implements Debatcher.Sink<SimulatedLog.Entry> {
    private static final String TOPIC = Sweeps.TOPIC;

    /**
     * So many failures in a row, with nothing delivered in between, are no longer a fault that
     * passes.
     */
    private static final int HOPELESS = 60;

    private final World world;
    private final Instance instance;
    private final String client;
    private final Map<Integer, Long> nextFetch = new TreeMap<>();
    private final Map<Integer, Position> starts = new HashMap<>();
    private final Map<Integer, Integer> generations = new HashMap<>();
    private final Map<Integer, Integer> streams = new HashMap<>();
    private final Set<Integer> paused = new TreeSet<>();
    private final List<SimulatedLog.Output> delivered = new ArrayList<>();
    private final Membership.Reading reading;
    private int epoch;
    private int failuresInARow;
    private int skips;

    Reader(World world, Instance instance, String client) {
        this.world = world;
        this.instance = instance;
        this.client = client;
        this.reading = instance.reading();
        reading.subscribed(Set.of(TOPIC));
    }

    /** Reads until everything is read and committed, or the reader has been replaced. */
    void run() {
        epoch = world.log().register(client);
        try (reading;
                Debatcher<SimulatedLog.Entry> debatcher =
                        world.seams().debatcher(instance.engine().debatcher(client))) {
            while (!world.isFinished()
                    && !world.ledger().isBroken()
                    && !world.log().isFenced(client, epoch)) {
                try {
                    step(debatcher);
                } catch (BlobShuffleException | SimulatedLog.Fenced e) {
                    failed(debatcher, e);
                }
            }
        }
    }

    private void failed(Debatcher<SimulatedLog.Entry> debatcher, RuntimeException cause) {
        if (++failuresInARow > HOPELESS) {
            world.ledger().violation(client + " fails for ever: " + cause);
        }
        rollBack(debatcher);
        world.time().pause(Duration.ofMillis(20 + world.time().random(100)));
    }

    private void step(Debatcher<SimulatedLog.Entry> debatcher) throws BlobShuffleException {
        SimulatedTime time = world.time();
        int skipped = world.fast().map(FastCopies::skips).orElse(0);
        if (skipped > skips) {
            skips = skipped;
            rollBack(debatcher); // It may wait for a blob to skip.
        }
        follow(debatcher);
        poll(debatcher);
        changePauses(debatcher);
        debatcher.prefetch();
        if (!debatcher.isReady()) {
            await(debatcher);
        }
        if (debatcher.isReady()) {
            if (debatcher.drain(1 + time.random(12), 1 + time.random(2000), this) > 0) {
                failuresInARow = 0;
            }
        }
        if (world.strikes(Fault.ROLLED_BACK, 40)) {
            rollBack(debatcher);
        } else if (time.random(6) == 0 || world.areWritersDone()) {
            commit(debatcher);
        }
        time.pause(Duration.ofNanos(time.random(10_000_000)));
        if (world.schedule().isSweeping() && world.strikes(Fault.READER_SLOW, 60)) {
            time.pause(world.schedule().step().multipliedBy(1 + time.random(4)));
        }
    }

    private void await(Debatcher<SimulatedLog.Entry> debatcher) {
        try {
            debatcher.awaitProgress(Duration.ofMillis(1 + world.time().random(40)));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes over partitions that were assigned, and gives up those that were taken away. */
    private void follow(Debatcher<SimulatedLog.Entry> debatcher) {
        Set<Integer> lost = new TreeSet<>(nextFetch.keySet());
        lost.removeIf(partition ->
                Integer.valueOf(world.log().generation(client, partition)).equals(generations.get(partition)));
        if (!lost.isEmpty()) {
            if (world.schedule().exactlyOnce()) {
                rollBack(debatcher); // Records delivered since the last commit can no longer be committed.
            }
            lost.forEach(partition -> forget(debatcher, partition));
        }
        for (int partition = 0; partition < world.schedule().partitions(); partition++) {
            int generation = world.log().generation(client, partition);
            if (generation >= 0 && !nextFetch.containsKey(partition)) {
                start(partition, generation);
            }
        }
        reading.reads(nextFetch.keySet().stream()
                .map(number -> new Partition(TOPIC, number))
                .collect(Collectors.toSet()));
    }

    private void start(int partition, int generation) {
        Position committed = world.log().committed(partition);
        starts.put(partition, committed);
        nextFetch.put(partition, committed.offset());
        generations.put(partition, generation);
        streams.put(partition, world.nextStream());
    }

    private void forget(Debatcher<SimulatedLog.Entry> debatcher, int partition) {
        debatcher.drop(new Partition(TOPIC, partition));
        nextFetch.remove(partition);
        paused.remove(partition);
    }

    private void rollBack(Debatcher<SimulatedLog.Entry> debatcher) {
        delivered.clear();
        List.copyOf(nextFetch.keySet()).forEach(partition -> forget(debatcher, partition));
    }

    private void poll(Debatcher<SimulatedLog.Entry> debatcher) {
        List<SimulatedLog.Entry> entries = new ArrayList<>();
        for (Map.Entry<Integer, Long> next : nextFetch.entrySet()) {
            Partition partition = new Partition(TOPIC, next.getKey());
            if (debatcher.queuedItems(partition) > 20) {
                continue;
            }
            entries.clear();
            next.setValue(world.log()
                    .fetch(next.getKey(), next.getValue(), 1 + world.time().random(8), entries));
            entries.forEach(entry -> offer(debatcher, partition, entry));
        }
    }

    private void offer(Debatcher<SimulatedLog.Entry> debatcher, Partition partition, SimulatedLog.Entry entry) {
        Notification notification = entry.notification();
        SimulatedLog.Plain plain = entry.plain();
        if (notification != null && isSkipped(notification)) {
            return;
        }
        if (notification != null) {
            Position start = starts.getOrDefault(partition.number(), new Position(0, 0));
            int first = start.offset() == entry.offset() ? start.index() : 0;
            debatcher.offer(partition, entry.offset(), notification, first, entry);
        } else if (plain != null) {
            byte[] value = plain.value();
            debatcher.offer(partition, entry.offset(), value == null ? 0 : value.length, entry);
        }
    }

    private boolean isSkipped(Notification notification) {
        return world.fast().isPresent() && world.fast().get().isSkipped(notification.blob());
    }

    private void changePauses(Debatcher<SimulatedLog.Entry> debatcher) {
        SimulatedTime time = world.time();
        for (int number : nextFetch.keySet()) {
            Partition partition = new Partition(TOPIC, number);
            if (paused.contains(number) && time.random(4) == 0) {
                paused.remove(number);
                debatcher.resume(partition);
            } else if (time.random(20) == 0) {
                paused.add(number);
                debatcher.pause(partition);
            }
        }
    }

    private void commit(Debatcher<SimulatedLog.Entry> debatcher) {
        Map<Integer, Position> positions = new HashMap<>();
        nextFetch.forEach((number, next) -> positions.put(
                number, debatcher.head(new Partition(TOPIC, number)).orElse(new Position(next, 0))));
        List<SimulatedLog.Output> outputs = List.copyOf(delivered);
        world.time().pause();
        world.log().commitReader(client, epoch, positions, generations, outputs);
        if (world.schedule().isSweeping() && world.strikes(Fault.LOG_PURGED, 3)) {
            positions.keySet().forEach(world.log()::purge);
        }
        delivered.clear();
        world.time().pause();
    }

    @Override
    public void record(
            Partition partition, long offset, int index, int count, RecordView view, SimulatedLog.Entry carrier) {
        Notification notification = carrier.notification();
        if (offset != carrier.offset() || notification == null || notification.records() != count) {
            world.ledger().violation("a record of " + partition + " came with another notification than its own");
        }
        take(partition, view.timestamp(), view.key(), view.value(), view.headers());
    }

    @Override
    public void plain(Partition partition, long offset, SimulatedLog.Entry carrier) {
        SimulatedLog.Plain plain = carrier.plain();
        if (plain == null) {
            world.ledger().violation("a notification of " + partition + " came as a plain record");
        } else {
            take(partition, plain.timestamp(), plain.key(), plain.value(), plain.headers());
        }
    }

    private void take(
            Partition partition, long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        if (!world.schedule().exactlyOnce() && world.log().generation(client, partition.number()) < 0) {
            return; // Only this check fences it; the next owner delivers the record too.
        }
        Input.Row row = world.input().find(value);
        if (row == null || row.partition() != partition.number() || !row.matches(timestamp, key, value, headers)) {
            world.ledger()
                    .violation("a record of " + partition + " is not what was appended: "
                            + (row == null ? "unknown" : row.lane() + ":" + row.index()));
            return;
        }
        SimulatedLog.Output output = new SimulatedLog.Output(streams.getOrDefault(partition.number(), -1), row);
        if (world.schedule().exactlyOnce()) {
            delivered.add(output);
        } else {
            world.log().deliver(output);
        }
    }
}
