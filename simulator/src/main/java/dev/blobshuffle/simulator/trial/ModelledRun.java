package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The real engine, Batcher and Debatcher, under virtual time and an injected latency profile. The
 * stream threads of several instances append at an even rate, commit, and read their partitions.
 * The run counts requests and measures the latency of every record. Guarded by the simulation's
 * baton.
 */
public final class ModelledRun {
    /** From the send of a notification until its reader has it. */
    static final Duration CHANNEL = Duration.ofMillis(15);

    /** From the send of a notification until it is acknowledged. */
    static final Duration ACKNOWLEDGED = Duration.ofMillis(8);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(10);
    private static final Duration READER_TICK = Duration.ofMillis(4);
    private static final Duration FLUSH_TIMEOUT = Duration.ofMinutes(2);
    private static final String TOPIC = "shuffle";
    private static final long BUFFER = 1L << 30;
    private static final long STORE = 2L << 30;

    private final Workload workload;
    private final Tuning tuning;
    private final LatencyProfile profile;
    private final Duration warmUp;
    private Duration end;
    private Duration tick = Duration.ofMillis(2);
    private DoubleUnaryOperator load = seconds -> 1;
    private Optional<LatencyTarget> target = Optional.empty();
    private Optional<Intervals> intervals = Optional.empty();
    private Optional<LatencyProfile> fast = Optional.empty();
    private final MemoryBlobStore copies = new MemoryBlobStore("copies", STORE);
    private final SimulatedTime time;
    private final MemoryBlobStore memory = new MemoryBlobStore("modelled", STORE);
    private final List<ShuffleEngine> engines = new ArrayList<>();
    private final List<CombiningHub> hubs = new ArrayList<>();
    private final Map<String, Inbox> inboxes = new HashMap<>();
    private final Map<Integer, Long> offsets = new HashMap<>();
    private double[] latencies = new double[1 << 16];
    private int count;
    private long appendedBytes;
    private long[] atWarmUp = new long[3];
    private long[] atEnd = new long[3];

    /**
     * @param workload its load is the rate at which threads append between commits
     * @param seconds virtual time that is measured, after a quarter more for warm-up
     */
    ModelledRun(Workload workload, Tuning tuning, LatencyProfile profile, double seconds, SimulatedTime time) {
        this.workload = workload;
        this.tuning = tuning;
        this.profile = profile;
        this.time = time;
        warmUp = Duration.ofMillis((long) (seconds * 250));
        end = warmUp.plusMillis((long) (seconds * 1000));
    }

    /** Aims at a latency, with the tuning's size and delay as the largest. */
    ModelledRun withTarget(LatencyTarget latency) {
        target = Optional.of(latency);
        return this;
    }

    /**
     * Changes the load over time.
     *
     * @param share of the workload's load, at so many seconds from the start
     * @param every threads append in steps of this
     */
    ModelledRun withLoad(DoubleUnaryOperator share, Duration every) {
        load = share;
        tick = every;
        return this;
    }

    /** Stores blobs in a fast store too, and announces them when that has them. */
    ModelledRun withFastStore(LatencyProfile latency) {
        fast = Optional.of(latency);
        return this;
    }

    /** Also measures intervals, and ends the run when one of them is too slow. */
    ModelledRun withIntervals(Intervals each) {
        intervals = Optional.of(each);
        return this;
    }

    /**
     * The measurements of a run.
     *
     * @param bytesPerSecond keys and values that were appended
     */
    record Measured(double bytesPerSecond, double puts, double gets, double notifications, double p50, double p95) {}

    Measured run() {
        for (int i = 0; isCombining() && i < workload.zones(); i++) {
            startHub(i);
        }
        for (int i = 0; i < workload.instances(); i++) {
            startInstance(i);
        }
        time.schedule(warmUp, () -> atWarmUp = counters());
        time.schedule(end, () -> atEnd = counters());
        time.schedule(HOUSEKEEPING, this::keepHouse);
        time.run();
        engines.forEach(ShuffleEngine::close);
        double seconds = end.minus(warmUp).toMillis() / 1000.0;
        double[] sorted = Arrays.copyOf(latencies, count);
        Arrays.sort(sorted);
        return new Measured(
                appendedBytes / seconds,
                (atEnd[0] - atWarmUp[0]) / seconds,
                (atEnd[1] - atWarmUp[1]) / seconds,
                (atEnd[2] - atWarmUp[2]) / seconds,
                sorted[count / 2],
                sorted[(int) (count * 0.95)]);
    }

    /** Deletes blobs that are no longer read, and ends a run that has failed. */
    private void keepHouse() {
        long generation = time.wallMillis() / 60_000 - 2;
        int owner = isCombining() ? CombiningHub.OWNER : BlobId.NO_OWNER;
        List<BlobId> old = memory.list(owner, generation).toCompletableFuture().join().stream()
                .map(StoredBlob::id)
                .toList();
        memory.delete(old).toCompletableFuture().join();
        copies.delete(old).toCompletableFuture().join();
        if (now() < end.toNanos()) {
            if (intervals.isPresent() && intervals.get().hasFailed((now() - warmUp.toNanos()) / 1e9)) {
                end = time.elapsed();
            }
            time.schedule(HOUSEKEEPING, this::keepHouse);
        }
    }

    private long[] counters() {
        long[] sums = new long[3];
        for (ShuffleEngine engine : engines) {
            sums[0] += engine.metrics().value(Counter.PUTS);
            sums[1] += engine.metrics().value(Counter.GETS);
            sums[2] += engine.metrics().value(Counter.NOTIFICATIONS_SENT);
        }
        return sums;
    }

    private boolean isCombining() {
        return tuning.combining() == Tuning.Combining.ZONE;
    }

    /**
     * The hub and cache of a zone. All readers of the zone read through its engine, as through the
     * zone's cache.
     */
    private void startHub(int zone) {
        SimulatedProcess process = time.process("hub-" + zone);
        CombiningHub hub = new CombiningHub(zone(zone), (long) tuning.blobBytes(), process);
        ShuffleEngine engine = builder(process, hub.store(store(process)))
                .caching(cache(zone(zone)))
                .sinks(hub)
                .build();
        hubs.add(hub);
        engines.add(engine);
        for (int number = zone; number < workload.instances(); number += workload.zones()) {
            startReaders(process, engine, number);
        }
    }

    private void startInstance(int number) {
        SimulatedProcess process = time.process("instance-" + number);
        Zone own = zone(number % workload.zones());
        BlobStore store = store(process);
        ShuffleEngine engine;
        if (isCombining()) {
            CombiningHub hub = hubs.get(number % workload.zones());
            ShuffleMetrics metrics = new ShuffleMetrics(process);
            engine = builder(process, hub.store(store))
                    .metrics(metrics)
                    .sinks(hub.contributor(number, process, metrics))
                    .build();
        } else {
            engine = builder(process, store).caching(cache(own)).build();
            startReaders(process, engine, number);
        }
        engines.add(engine);
        for (int thread = 0; thread < workload.threads(); thread++) {
            LogChannel channel = new LogChannel();
            Lane lane = engine.lane("lane-" + number + "-" + thread, channel);
            process.actor("writer-" + thread, () -> write(lane, channel));
        }
    }

    private ShuffleEngine.Builder builder(SimulatedProcess process, BlobStore store) {
        return ShuffleEngine.builder(store, process)
                .batching(batching())
                .readBufferBytes(BUFFER)
                .resilience(new ResilienceOptions(
                        ResilienceOptions.USUAL.requestTimeout(),
                        tuning.hedgedShare() > 0 ? ResilienceOptions.Hedging.ON : ResilienceOptions.Hedging.OFF));
    }

    private CacheOptions cache(Zone own) {
        return tuning.cache() == Tuning.Cache.ZONE
                ? new CacheOptions(own, BUFFER, List.of(), 0, CacheUnit.SECTION, CacheOptions.WhenWriting.KEEP)
                : CacheOptions.none();
    }

    private void startReaders(SimulatedProcess process, ShuffleEngine engine, int number) {
        for (int thread = 0; thread < workload.threads(); thread++) {
            Inbox inbox = new Inbox(process.signal());
            inboxes.put(number + "-" + thread, inbox);
            process.actor("reader-" + number + "-" + thread, () -> read(engine, inbox));
        }
    }

    private BlobStore store(SimulatedProcess process) {
        BlobStore durable = new SlowBlobStore(memory, profile, process);
        return fast.<BlobStore>map(latency -> new TwoSpeedBlobStore(
                        new StoreHalves(new SlowBlobStore(copies, latency, process), durable),
                        process,
                        new ShuffleMetrics(process)))
                .orElse(durable);
    }

    private BatcherOptions batching() {
        BatcherOptions.Builder options = BatcherOptions.builder()
                .batchBytes((long) tuning.blobBytes())
                .delay(tuning.delay())
                .scope(tuning.scope())
                .inlineBytes((long) tuning.inlineBytes())
                .sealing(isCombining() ? Sealing.ALIGNED : Sealing.AFTER_DELAY)
                .bufferBytes(BUFFER)
                .chunkBytes(1024);
        target.ifPresent(options::target);
        return options.build();
    }

    private static Zone zone(int number) {
        return new Zone("zone-" + number);
    }

    private void write(Lane lane, LogChannel channel) {
        double perNano = workload.recordsPerSecond() / workload.instances() / workload.threads() / 1e9;
        Partition[] partitions = new Partition[workload.partitions()];
        Arrays.setAll(partitions, number -> new Partition(TOPIC, number));
        // Threads do not start, nor commit, in step.
        time.pause(Duration.ofNanos((long) (time.random(1_000_000)
                / 1e6
                * Math.min(
                        workload.commitInterval().toNanos(),
                        Duration.ofSeconds(2).toNanos()))));
        long appendedAt = now();
        // With hubs, commits of many threads are spread over the interval.
        long committed = isCombining()
                ? appendedAt
                        - (long) (time.random(1_000_000)
                                / 1e6
                                * workload.commitInterval().toNanos())
                : appendedAt;
        double due = 0;
        while (now() < end.toNanos()) {
            time.pause(tick);
            due += (now() - appendedAt) * perNano * load.applyAsDouble(now() / 1e9);
            appendedAt = now();
            for (; due >= 1; due--) {
                append(lane, partitions[time.random(partitions.length)]);
            }
            if (now() - committed >= workload.commitInterval().toNanos()) {
                lane.flush(FLUSH_TIMEOUT);
                channel.commit();
                committed = now();
                appendedAt = committed; // Nothing is appended while a thread commits.
            }
        }
        lane.flush(FLUSH_TIMEOUT);
        channel.commit();
    }

    private void append(Lane lane, Partition partition) {
        byte[] value = new byte[(int) workload.recordBytes()];
        ByteBuffer.wrap(value).putLong(now());
        lane.output(partition, zone(partition.number() % workload.zones()))
                .append(time.wallMillis(), null, value, Headers.NONE);
        if (isMeasured(now())) {
            appendedBytes += value.length;
        }
    }

    private boolean isMeasured(long nanos) {
        return nanos >= warmUp.toNanos() && nanos < end.toNanos();
    }

    private long now() {
        return time.elapsed().toNanos();
    }

    private void read(ShuffleEngine engine, Inbox inbox) throws InterruptedException {
        try (Debatcher<String> debatcher = engine.debatcher("reader")) {
            Stopwatch stopwatch = new Stopwatch();
            while (now() < end.plusSeconds(20).toNanos()) {
                long seen = inbox.arrived.count();
                for (Entry entry = inbox.entries.poll(); entry != null; entry = inbox.entries.poll()) {
                    entry.offerTo(debatcher);
                }
                debatcher.prefetch();
                if (debatcher.isReady()) {
                    debatcher.drain(Integer.MAX_VALUE, Long.MAX_VALUE, stopwatch);
                } else if (debatcher.isFetching()) {
                    debatcher.awaitProgress(READER_TICK);
                } else {
                    boolean ignored = inbox.arrived.await(
                            seen, time.nanos() + Duration.ofSeconds(1).toNanos());
                }
            }
        }
    }

    private void deliver(Partition partition, @Nullable Notification notification, List<byte[]> records) {
        int zone = partition.number() % workload.zones();
        int instances = workload.instances() / workload.zones();
        int turn = partition.number() / workload.zones() % (instances * workload.threads());
        int instance = zone + workload.zones() * (turn % instances);
        Inbox inbox = Objects.requireNonNull(inboxes.get(instance + "-" + turn / instances));
        long offset = offsets.merge(partition.number(), 1L, Long::sum);
        inbox.entries.add(new Entry(partition, offset, notification, records));
        inbox.arrived.raise();
    }

    private void timed(byte @Nullable [] value) {
        long appended = ByteBuffer.wrap(value).getLong();
        if (isMeasured(appended)) {
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = (now() - appended) / 1e9;
            intervals.ifPresent(each -> each.add((appended - warmUp.toNanos()) / 1e9, (now() - appended) / 1e9));
        }
    }

    /** The entries that a reader has not taken yet. */
    private record Inbox(Deque<Entry> entries, Signal arrived) {
        Inbox(Signal arrived) {
            this(new ArrayDeque<>(), arrived);
        }
    }

    /** A notification, or the records of an inlined segment. */
    private record Entry(
            Partition partition, long offset, @Nullable Notification notification, List<byte[]> records) {
        void offerTo(Debatcher<String> debatcher) {
            if (notification != null) {
                debatcher.offer(partition, offset, notification, 0, "");
            } else {
                // One plain entry stands for all: the reader gets them at the same time.
                debatcher.offer(partition, offset, 1, new String(records.get(0), StandardCharsets.ISO_8859_1));
            }
        }
    }

    /** Measures the latency of each record when the Debatcher delivers it. */
    private final class Stopwatch implements Debatcher.Sink<String> {
        @Override
        public void record(Partition partition, long offset, int index, int count, RecordView record, String carrier) {
            timed(record.value());
        }

        @Override
        public void plain(Partition partition, long offset, String plain) {
            timed(plain.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /**
     * Kafka as a lane sees it. A send takes time, and under exactly-once its records are not
     * visible before the commit.
     */
    private final class LogChannel implements Channel {
        private final List<Runnable> uncommitted = new ArrayList<>();

        @Override
        public void send(
                Partition partition,
                Notification notification,
                long smallestTimestamp,
                long largestTimestamp,
                Delivery delivery) {
            show(() -> deliver(partition, notification, List.of()));
            time.schedule(ACKNOWLEDGED, delivery::delivered);
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            records.forEach((timestamp, key, value, headers) -> {
                byte[] copy = value == null ? new byte[0] : value;
                show(() -> deliver(partition, null, List.of(copy)));
            });
            time.schedule(ACKNOWLEDGED, delivery::delivered);
        }

        private void show(Runnable delivery) {
            if (workload.guarantee() == Workload.Guarantee.EXACTLY_ONCE_V2) {
                uncommitted.add(delivery);
            } else {
                time.schedule(CHANNEL, delivery);
            }
        }

        void commit() {
            List<Runnable> committed = List.copyOf(uncommitted);
            uncommitted.clear();
            time.schedule(CHANNEL, () -> committed.forEach(Runnable::run));
        }

        @Override
        public void flush() {}
    }
}
