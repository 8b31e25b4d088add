package dev.blobshuffle.bench.paper;

import dev.blobshuffle.bench.workload.RecordProbe;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.engine.ZonePeers;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The real engine of every instance of a {@link Deployment}: Batcher, Debatcher, layout, caches of
 * the zone and hedging, under virtual time and a store's latency profile. Each instance has a
 * stream thread that appends at an even rate and commits, and one that reads. Every record is
 * counted and timed. Computing takes no virtual time. Used once. Guarded by the simulation's baton.
 */
final class VirtualCluster {
    private static final Duration FLUSH_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration LEAST_WARM_UP = Duration.ofMillis(1500);
    private static final Duration LONGEST_TICK = Duration.ofMillis(20);
    private static final Duration SHORTEST_TICK = Duration.ofMillis(1);
    private static final Duration SHORTEST_READER_TICK = Duration.ofMillis(2);
    private static final Duration DRAIN = Duration.ofSeconds(120);
    private static final int FILLS_BEFORE = 2;

    /** An instance hedges no puts until it knows the times of 100 puts. */
    private static final int PUTS_BEFORE_HEDGING = 110;

    /** Limits the warm-up of a run with few batches, although its requests are then not hedged. */
    private static final int BATCHES_PER_PUT_BEFORE = 4;

    private static final int CHANCE = 1_000_000;
    private static final int TICKS_PER_FILL = 128;

    /**
     * A slow put delays later blobs for about a second, so a p95 of a shorter run depends on
     * chance.
     */
    private static final double LEAST_SECONDS = 3;

    private static final long BUFFER = 1L << 30;
    private static final long STORE = 4L << 30;

    private final Deployment deployment;
    private final LatencyProfile profile;
    private final SimulatedTime time;
    private final MemoryBlobStore memory = new MemoryBlobStore("paper", STORE);
    private final VirtualZones zones = new VirtualZones();
    private final VirtualKafka kafka;
    private final List<ShuffleEngine> engines = new ArrayList<>();
    private final Histogram latency = RecordProbe.histogram();
    private final Histogram unordered = RecordProbe.histogram();
    private final Duration warmUp;
    private final Duration end;
    private final Duration tick;
    private final Duration readerTick;
    private final StoreMeasurement requests;
    private long appended;
    private long appendedInTime;
    private long read;
    private int writing;
    private int turn;

    /**
     * @param profile the store's latencies at full size
     * @param batches the zones' batches that are measured at least, over all instances
     */
    VirtualCluster(Deployment deployment, LatencyProfile profile, int batches, SimulatedTime time) {
        this.deployment = deployment;
        this.profile = profile.scaledDown(deployment.scale());
        this.time = time;
        double fill = deployment.fillSeconds();
        double seconds = Math.max(LEAST_SECONDS, batches * fill / Deployment.ZONES / deployment.instances());
        int putsBefore = Math.min(PUTS_BEFORE_HEDGING, batches / BATCHES_PER_PUT_BEFORE);
        int fills = deployment.layout().isHedged()
                ? Math.max(FILLS_BEFORE, putsBefore / deployment.layout().blobs())
                : FILLS_BEFORE;
        warmUp = LEAST_WARM_UP.plusNanos((long) (fills * 1e9 * fill));
        end = warmUp.plusNanos((long) (seconds * 1e9));
        Duration share = Duration.ofNanos((long) (fill / TICKS_PER_FILL * 1e9));
        tick = between(SHORTEST_TICK, share, LONGEST_TICK);
        readerTick = between(SHORTEST_READER_TICK, share, LONGEST_TICK);
        requests = new StoreMeasurement(time.nanos() + warmUp.toNanos(), time.nanos() + end.toNanos());
        kafka = new VirtualKafka(deployment, memory, time);
    }

    private static Duration between(Duration least, Duration wanted, Duration most) {
        return wanted.compareTo(least) < 0 ? least : wanted.compareTo(most) > 0 ? most : wanted;
    }

    /**
     * Runs the cluster, and checks that every record was read once.
     *
     * @throws IllegalStateException if a record was lost or duplicated
     */
    ClusterResult run() {
        for (int i = 0; i < deployment.instances(); i++) {
            startInstance(i);
        }
        long[] counters = new long[2];
        time.schedule(warmUp, () -> count(counters, -1));
        time.schedule(end, () -> count(counters, 1));
        kafka.keepHouse(this::isOver);
        time.run();
        engines.forEach(ShuffleEngine::close);
        if (read != appended) {
            throw new IllegalStateException("Cannot use " + deployment + ": " + appended + " records were appended and "
                    + read + " read. Report this as a bug.");
        }
        return new ClusterResult(
                deployment,
                end.minus(warmUp).toNanos() / 1e9,
                appendedInTime,
                latency,
                unordered,
                requests.puts(),
                requests.gets(),
                requests.putBytes(),
                requests.gotBytes(),
                counters[0],
                counters[1]);
    }

    private void count(long[] counters, int sign) {
        counters[0] += sign * kafka.sent();
        counters[1] += sign * kafka.received();
    }

    private boolean isOver() {
        return writing == 0 && now() >= end.toNanos() && read == appended
                || now() >= end.plus(DRAIN).toNanos();
    }

    private long now() {
        return time.elapsed().toNanos();
    }

    private void startInstance(int number) {
        SimulatedProcess process = time.process("instance-" + number);
        Zone own = zone(number);
        MeasuredStore store =
                new MeasuredStore(new SlowBlobStore(memory, profile, process), requests, kafka.writer(), process);
        ShuffleEngine engine = ShuffleEngine.builder(store, process)
                .batching(deployment.batching())
                .resilience(deployment.resilience())
                .readBufferBytes(BUFFER)
                .caching(new CacheOptions(
                        own, deployment.cacheBytes(), List.of(), 0, CacheUnit.SECTION, CacheOptions.WhenWriting.KEEP))
                .zonePeers(new ZonePeers(zones, zones.network("instance-" + number, process)))
                .build();
        engines.add(engine);
        engine.member().ifPresent(zones::join);
        VirtualKafka.Inbox inbox = kafka.inbox(number, process);
        process.actor("reader", () -> read(engine, inbox));
        Lane lane = engine.lane("lane-" + number, kafka.channel());
        writing++;
        process.actor("writer", () -> write(lane));
    }

    private static Zone zone(int number) {
        return new Zone("zone-" + number % Deployment.ZONES);
    }

    /** The work of a stream thread before the shuffle: it appends at an even rate, and commits. */
    private void write(Lane lane) {
        Lane.Output[] outputs = new Lane.Output[deployment.partitions()];
        Arrays.setAll(outputs, number -> lane.output(VirtualKafka.partition(number), zone(Deployment.zoneOf(number))));
        byte[] key = new byte[Deployment.KEY_BYTES];
        byte[] value = new byte[Deployment.VALUE_BYTES];
        ByteBuffer stamp = ByteBuffer.wrap(value);
        double perNano = deployment.scaledRecordsPerSecond() / 1e9;
        long interval = Deployment.COMMIT_INTERVAL.toNanos();
        time.pause(Duration.ofNanos(time.random((int) LEAST_WARM_UP.toNanos())));
        // Commits of the instances are spread over the interval.
        long committed = now() - (long) (time.random(1_000_000) / 1e6 * interval);
        long appendedAt = now();
        double due = 0;
        while (now() < end.toNanos()) {
            time.pause(tick);
            long now = now();
            due += (now - appendedAt) * perNano;
            appendedAt = now;
            stamp.putLong(0, now);
            for (; due >= 1; due--) {
                outputs[nextPartition()].append(time.wallMillis(), key, value, Headers.NONE);
                appended++;
                appendedInTime += isMeasured(now) ? 1 : 0;
            }
            if (now - committed >= interval) {
                lane.flush(FLUSH_TIMEOUT);
                committed = now(); // Records due meanwhile are appended at the next tick.
            }
        }
        lane.flush(FLUSH_TIMEOUT);
        writing--;
    }

    /**
     * The partition of the next record. The zone is random for a share of the records, the
     * partition within it for all.
     */
    private int nextPartition() {
        boolean isByChance = time.random(CHANCE) < CHANCE * deployment.size().chance();
        int zone = isByChance ? time.random(Deployment.ZONES) : turn++ % Deployment.ZONES;
        return zone + Deployment.ZONES * time.random(deployment.partitions() / Deployment.ZONES);
    }

    private boolean isMeasured(long nanos) {
        return nanos >= warmUp.toNanos() && nanos < end.toNanos();
    }

    /** The work of a stream thread after the shuffle. */
    private void read(ShuffleEngine engine, VirtualKafka.Inbox inbox) throws InterruptedException {
        try (Debatcher<Notification> debatcher = engine.debatcher("reader")) {
            Stopwatch stopwatch = new Stopwatch();
            while (!isOver()) {
                long seen = inbox.arrivals();
                inbox.offerAll(debatcher);
                debatcher.prefetch();
                if (debatcher.isReady()) {
                    debatcher.drain(Integer.MAX_VALUE, Long.MAX_VALUE, stopwatch);
                } else if (debatcher.isFetching()) {
                    debatcher.awaitProgress(readerTick);
                } else {
                    inbox.await(seen);
                }
            }
        }
    }

    /** Measures the latency of each record when the Debatcher delivers it. */
    private final class Stopwatch implements Debatcher.Sink<Notification> {
        @Override
        public void record(
                Partition partition, long offset, int index, int count, RecordView record, Notification carrier) {
            long appendedAt = ByteBuffer.wrap(record.value()).getLong();
            read++;
            if (isMeasured(appendedAt)) {
                long nanos = now() - appendedAt;
                latency.recordValue(TimeUnit.NANOSECONDS.toMicros(nanos));
                unordered.recordValue(TimeUnit.NANOSECONDS.toMicros(nanos - kafka.orderWait(carrier)));
            }
            if (index == count - 1) {
                kafka.wasRead(carrier);
            }
        }

        @Override
        public void plain(Partition partition, long offset, Notification plain) {
            throw new IllegalStateException("Cannot read a plain record: none was sent.");
        }
    }
}
