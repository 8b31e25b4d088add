package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.TestContainers;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sweeper with a file store, and a log that has held records but refers to no blob. */
class SweeperTest {
    private static final Partition P0 = new Partition("orders", 0);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration GRACE = Duration.ofHours(1);

    /** With one more orphan, a sweep assumes that they belong to another cluster. */
    private static final int USUAL_ORPHANS = 100;

    private static final BlobLifetime NO_FLOOR = new BlobLifetime(Optional.empty(), Duration.ZERO);

    @TempDir
    private Path directory;

    private BlobLifetime lifetime = NO_FLOOR;

    /** How far this machine's clock is ahead of the store's. */
    private final AtomicLong ahead = new AtomicLong();

    private final SystemTime time = new SystemTime(() -> SystemTime.wallClock().getAsLong() + ahead.get());
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private BlobStore store;

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    /** Opens the store without the probe, which {@link #blobs} would count. */
    private BlobStore open() {
        return BlobStores.openUnchecked(directory.toUri() + "?fsync=none", StoreContext.unmetered(time));
    }

    @Test
    void someOrphansAreWhatCrashesLeave() {
        storeOrphans(USUAL_ORPHANS);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == USUAL_ORPHANS);
            assertThat(blobs()).isZero();
        }
    }

    @Test
    void moreOrphansMayBeAnotherClustersBlobs() {
        storeOrphans(USUAL_ORPHANS + 1);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) >= 3);
            assertThat(blobs()).isEqualTo(USUAL_ORPHANS + 1);
        }
    }

    /**
     * Their footers name no topics, so a sweep by Kafka's logs cannot know that they are unneeded.
     */
    @Test
    void blobsOfOtherContentStay() {
        storeOrphans(1);
        long generation = store.generations(0).toCompletableFuture().join().get(0);
        for (ContentKind kind : List.of(ContentKind.ARROW, ContentKind.OPAQUE)) {
            BlobContent content = BlobContent.of(TestContainers.golden(kind));
            store.put(new BlobId(generation, 7, kind.code()), content)
                    .toCompletableFuture()
                    .join();
        }
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 1);
            long sweeps = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= sweeps + 3);
            assertThat(blobs()).isEqualTo(2);
        }
    }

    /** A Spark application shares the store. Its owner is not this sweep's. */
    @Test
    void blobsOfAnOwnerWithALeaseStay() throws InterruptedException {
        storeOrphans(1);
        long generation = store.generations(0).toCompletableFuture().join().get(0);
        LeaseRegister leases = new LeaseRegister(store, time);
        BlobId blob = new BlobId(leases.take(Duration.ofSeconds(1), "spark app"), generation, 7, 0);
        store.put(blob, BlobContent.of(TestContainers.golden(ContentKind.OPAQUE)))
                .toCompletableFuture()
                .join();
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 1);
            long sweeps = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= sweeps + 3);
        }
        assertThat(store.length(blob).toCompletableFuture().join()).isPositive();
        assertThat(leases.read().lease(blob.owner())).isPresent();
    }

    /** The blobs are intact. If they counted as damaged, an operator would look for a fault. */
    @Test
    void blobsOfOtherContentAreNotDamaged() throws Exception {
        storeOrphans(1);
        long generation = store.generations(0).toCompletableFuture().join().get(0);
        for (ContentKind kind : List.of(ContentKind.ARROW, ContentKind.OPAQUE)) {
            byte[] whole = TestContainers.golden(kind);
            put(new BlobId(generation, 7, kind.code()), whole);
            byte[] damaged = whole.clone();
            damaged[damaged.length - Trailer.LENGTH - 1] ^= 1;
            put(new BlobId(generation, 8, kind.code()), damaged);
        }
        Sweep sweep = new Sweep(
                store, SweepScope.everything(Set.of()), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
        SweepReport report =
                sweep.byHorizon(sweep.list(0, Optional.empty(), NO_FLOOR, new StoreConditions(store, time).require()));
        assertThat(report.listed()).isEqualTo(5);
        assertThat(report.otherContent()).isEqualTo(2);
        assertThat(report.damaged()).isEqualTo(2);
        assertThat(report.damagedExample().orElseThrow().writer()).isEqualTo(8);
        assertThat(report.unneeded()).isEqualTo(1);
        assertThat(report.plus(report).otherContent()).isEqualTo(4);
    }

    private void put(BlobId id, byte[] bytes) {
        store.put(id, BlobContent.of(bytes)).toCompletableFuture().join();
    }

    /** If the right is lost after the decision, the blobs stay until the next sweep. */
    @Test
    void contestBetweenTheTwoStepsKeepsTheBlobs() {
        storeOrphans(3);
        AtomicInteger raises = new AtomicInteger();
        try (Sweeper sweeper = sweeper(new EmptyLogs() {
            @Override
            public Leave next() {
                Leave leave = super.next();
                return raises.incrementAndGet() > 2
                        ? new Leave(Stage.START_OVER, leave.owner(), leave.timeToLive(), Optional.of("contested"))
                        : leave;
            }
        })) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) >= 3);
            assertThat(blobs()).isEqualTo(3);
        }
    }

    /** Kafka was restored from a backup after the logs were read. */
    @Test
    void logThatBeginsEarlierThanWhenItWasReadKeepsTheBlobs() {
        storeOrphans(3);
        AtomicInteger asked = new AtomicInteger();
        try (Sweeper sweeper = sweeper(new EmptyLogs() {
            @Override
            public Optional<String> goneBack(Map<Partition, Long> starts) {
                assertThat(starts).containsExactly(Map.entry(P0, 0L));
                return asked.incrementAndGet() > 3 ? Optional.empty() : Optional.of("the log began at 7");
            }
        })) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) == 3);
            assertThat(metrics.value(Counter.SWEEPS)).isZero();
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 3);
        }
    }

    /** By the sweeper's clock the blobs would be a day old, but they are new. */
    @Test
    void sweeperWhoseClockIsWrongDeletesNothingUntilItIsRight() throws Exception {
        storeOrphans(3);
        asIfOfGeneration(minuteNow() - 25 * 60);
        storedAgo(Duration.ofHours(25), 1);
        lifetime = BlobLifetime.of(Optional.of(Duration.ofHours(24)), Duration.ZERO);
        for (Duration wrong : List.of(Duration.ofHours(26), Duration.ofHours(-26), Duration.ofMinutes(16))) {
            ahead.set(wrong.toMillis());
            long before = metrics.value(Counter.CLOCK_DIFFERENCES);
            try (Sweeper sweeper = sweeper()) {
                awaitThat(() -> metrics.value(Counter.CLOCK_DIFFERENCES) >= before + 3);
            }
            assertThat(blobs()).as("ahead by " + wrong).isEqualTo(3);
        }
        assertThat(metrics.value(Counter.SWEEPS)).isZero();
        try (Sweeper sweeper = sweeper()) {
            ahead.set(Duration.ofMinutes(14).toMillis());
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 1);
        }
        assertThat(blobs()).isEqualTo(2);
    }

    @Test
    void clockThatIsWrongIsNamedWithBothTimesAndTheRemedy() {
        ahead.set(Duration.ofHours(26).toMillis());
        StoreClock clock = new StoreConditions(store, time).require();
        assertThat(clock.differenceFromOwn().orElseThrow())
                .startsWith("this machine's clock is 26 hours ahead of the store's (here it is 2")
                .contains(store.location() + " 2");
        assertThat(clock.now()).isBefore(Instant.ofEpochMilli(time.wallMillis()).minus(Duration.ofHours(25)));
    }

    /** Ids contain the writer's time, which is a day behind here. */
    @Test
    void timeToLiveIsCountedFromWhenTheStoreGotTheBlob() throws Exception {
        storeOrphans(3);
        asIfOfGeneration(minuteNow() - 25 * 60);
        lifetime = BlobLifetime.of(Optional.of(Duration.ofHours(24)), Duration.ZERO);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).isEqualTo(3);
            storedAgo(Duration.ofHours(25), 2);
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 2);
        }
        assertThat(blobs()).isEqualTo(1);
    }

    @Test
    void nothingYoungerThanTheFloorIsDeletedByNeed() throws Exception {
        floorSpares(Optional.empty());
    }

    @Test
    void nothingYoungerThanTheFloorIsDeletedByAge() throws Exception {
        floorSpares(Optional.of(Duration.ofHours(1)));
    }

    /** The store dates new blobs a day back, and keeps these dates after its clock is corrected. */
    @Test
    void blobsOfAStoreWhoseClockWasBehindAreAsOldAsTheirIds() throws Exception {
        clockOfTheStoreWasBehind(new BlobLifetime(Optional.empty(), Duration.ofHours(6)));
    }

    @Test
    void blobsOfAStoreWhoseClockWasBehindLiveAsLongAsOthers() throws Exception {
        clockOfTheStoreWasBehind(BlobLifetime.of(Optional.of(Duration.ofHours(6)), Duration.ZERO));
    }

    private void clockOfTheStoreWasBehind(BlobLifetime lifetime) throws Exception {
        this.lifetime = lifetime;
        storeOrphans(3);
        storedAgo(Duration.ofHours(26), 3);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).isEqualTo(3);
            asIfOfGeneration(minuteNow() - 7 * 60);
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 3);
        }
    }

    private void floorSpares(Optional<Duration> timeToLive) throws Exception {
        storeOrphans(5);
        asIfOfGeneration(minuteNow() - 8 * 60);
        storedAgo(Duration.ofHours(5), 5);
        lifetime = BlobLifetime.of(timeToLive, Duration.ofHours(6));
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Gauge.SPARED_BLOBS) == 5 && metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).isEqualTo(5);
            storedAgo(Duration.ofHours(7), 2);
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 2);
            awaitThat(() -> metrics.value(Gauge.SPARED_BLOBS) == 3);
        }
        assertThat(blobs()).isEqualTo(3);
    }

    /** By the log, no blob would be needed. */
    @Test
    void blobsBelowTheHorizonAreDeletedAndNoOthers() throws Exception {
        long now = minuteNow();
        storeOrphans(3);
        asIfOfGeneration(now - 100);
        writeOrphans(2);
        AtomicReference<Optional<Horizon.Limit>> limit = new AtomicReference<>(Optional.empty());
        try (Sweeper sweeper = sweeper(new HorizonSource(limit::get))) {
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).as("no horizon").isEqualTo(5);
            limit.set(Optional.of(Horizon.Limit.below(now - 100)));
            long sweeps = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= sweeps + 3);
            assertThat(blobs()).as("at the horizon").isEqualTo(5);
            limit.set(Optional.of(Horizon.Limit.below(now - 99)));
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 3);
            long later = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= later + 3);
            assertThat(blobs()).as("above the horizon").isEqualTo(2);
        }
    }

    @Test
    void nothingYoungerThanTheFloorIsDeletedByAHorizon() throws Exception {
        storeOrphans(5);
        asIfOfGeneration(minuteNow() - 8 * 60);
        storedAgo(Duration.ofHours(7), 2);
        lifetime = new BlobLifetime(Optional.empty(), Duration.ofHours(6));
        Horizon.Limit all = Horizon.Limit.below(minuteNow());
        try (Sweeper sweeper = sweeper(new HorizonSource(() -> Optional.of(all)))) {
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 2);
            awaitThat(() -> metrics.value(Gauge.SPARED_BLOBS) == 3);
        }
        assertThat(blobs()).isEqualTo(3);
    }

    /** An older checkpoint was restored after the listing. */
    @Test
    void horizonThatWentBackKeepsItsBlobs() throws Exception {
        storeOrphans(2);
        asIfOfGeneration(minuteNow() - 100);
        AtomicInteger asked = new AtomicInteger();
        long listed = minuteNow() - 50;
        try (Sweeper sweeper = sweeper(new HorizonSource(
                () -> Optional.of(Horizon.Limit.below(asked.getAndIncrement() % 2 == 0 ? listed : listed - 60))))) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) >= 3);
        }
        assertThat(blobs()).isEqualTo(2);
        assertThat(metrics.value(Counter.BLOBS_SWEPT)).isZero();
    }

    /** The members' promise of a retention by age takes precedence. */
    @Test
    void agePromisedByAllMembersComesBeforeTheHorizon() throws Exception {
        storeOrphans(3);
        asIfOfGeneration(minuteNow() - 25 * 60);
        storedAgo(Duration.ofHours(25), 1);
        lifetime = BlobLifetime.of(Optional.of(Duration.ofHours(24)), Duration.ZERO);
        try (Sweeper sweeper = sweeper(new HorizonSource(Optional::empty))) {
            awaitThat(() -> metrics.value(Counter.BLOBS_SWEPT) == 1);
        }
        assertThat(blobs()).isEqualTo(2);
    }

    /** A source with a horizon, which reads no logs. */
    private final class HorizonSource extends EmptyLogs {
        private final Supplier<Optional<Horizon.Limit>> limit;

        HorizonSource(Supplier<Optional<Horizon.Limit>> limit) {
            this.limit = limit;
        }

        @Override
        public Optional<Horizon> horizon() {
            return Optional.of(now -> limit.get());
        }

        @Override
        public NotificationLogs logs(Time own) {
            throw new AssertionError("no logs are read");
        }
    }

    /** The cause is a writer's clock that is ahead, or a store's clock that is behind. */
    @Test
    void blobOfTheFutureStopsSweepsUntilItIsOfThePast() throws Exception {
        storeOrphans(3);
        BlobId future = new BlobId(minuteNow() + 60, 7, 0);
        put(future, new byte[] {1});
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.CLOCK_DIFFERENCES) >= 3);
            assertThat(blobs()).isEqualTo(4);
            store.delete(List.of(future)).toCompletableFuture().join();
            put(new BlobId(minuteNow() + 10, 7, 0), new byte[] {1}); // Clocks may differ by that much.
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 3);
        }
        assertThat(blobs()).isEqualTo(1);
    }

    private static long minuteNow() {
        return SystemTime.wallClock().getAsLong() / BlobId.MILLIS_PER_GENERATION;
    }

    /** Dates a number of the first blobs back, by the clock of the store. */
    private void storedAgo(Duration age, int count) throws IOException {
        FileTime then = FileTime.from(
                Instant.ofEpochMilli(SystemTime.wallClock().getAsLong()).minus(age));
        for (Path blob : files().subList(0, count)) {
            Files.setLastModifiedTime(blob, then);
        }
    }

    /** Renames all blobs to ids of a given minute. */
    private void asIfOfGeneration(long minute) throws IOException {
        for (Path blob : files()) {
            Path generation = blob.getParent().resolveSibling(String.format(Locale.ROOT, "%010d", minute));
            Files.createDirectories(generation);
            Files.move(blob, generation.resolve(blob.getFileName()));
        }
    }

    /** The files of the blobs. The sweeper may change the directories at the same time. */
    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".blob")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        files.sort(null);
        return files;
    }

    /** A record above the high watermark, or only on an offline replica, is not read. */
    @Test
    void blobsOfALogThatMayStillGrowBackwardsStay() {
        storeOrphans(2);
        AtomicBoolean isInDoubt = new AtomicBoolean(true);
        try (Sweeper sweeper = sweeper(new EmptyLogs() {
            @Override
            public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) {
                return isInDoubt.get()
                        ? Map.of(P0, new Extent(0, 5, Optional.empty(), Optional.of("it has no leader")))
                        : super.read(topics, receiver);
            }
        })) {
            awaitThat(() -> metrics.value(Gauge.UNSETTLED_BLOBS) == 2);
            long sweeps = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= sweeps + 3);
            assertThat(blobs()).isEqualTo(2);
            assertThat(metrics.value(Counter.SWEEP_FAILURES)).isZero();

            isInDoubt.set(false);
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 2);
            assertThat(blobs()).isZero();
            awaitThat(() -> metrics.value(Gauge.UNSETTLED_BLOBS) == 0);
        }
    }

    /** A listing uses the terms from before it, which are those of the previous sweep. */
    @Test
    void blobsOfALogWithANewLeaderWaitForTheNextSweep() {
        storeOrphans(2);
        AtomicInteger leadership = new AtomicInteger();
        AtomicBoolean isStable = new AtomicBoolean();
        try (Sweeper sweeper = sweeper(new EmptyLogs() {
            private Term term() {
                return new Term("log", isStable.get() ? -1 : leadership.incrementAndGet());
            }

            @Override
            public Map<Partition, Term> terms(Predicate<String> topics) {
                return topics.test(P0.stream()) ? Map.of(P0, term()) : Map.of();
            }

            @Override
            public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) {
                return Map.of(P0, new Extent(0, 5, Optional.of(term()), Optional.empty()));
            }
        })) {
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).isEqualTo(2);
            isStable.set(true);
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 2);
            assertThat(blobs()).isZero();
        }
    }

    private Sweeper sweeper() {
        return sweeper(new EmptyLogs());
    }

    private Sweeper sweeper(EmptyLogs logs) {
        SweepTiming often = new SweepTiming(Duration.ofMillis(20), Duration.ofMillis(5));
        Sweeper sweeper = new Sweeper(Optional.of(often), lifetime, this::open, logs, metrics, time);
        sweeper.watch(Membership.none()).reading().reads(Set.of(P0));
        return sweeper;
    }

    private void storeOrphans(int count) {
        writeOrphans(count);
        assertThat(blobs()).isEqualTo(count);
    }

    private void writeOrphans(int count) {
        try (Batcher batcher = new Batcher(store, BatcherOptions.builder().build(), time, new ShuffleMetrics(time));
                Lane lane = batcher.lane("orphans", new DroppingChannel())) {
            for (int i = 0; i < count; i++) {
                lane.output(P0, Zone.SINGLE).append(0, null, new byte[] {1}, Headers.NONE);
                lane.flush(PATIENCE);
            }
        }
    }

    private int blobs() {
        return store.generations(0).toCompletableFuture().join().stream()
                .mapToInt(generation ->
                        store.list(0, generation).toCompletableFuture().join().size())
                .sum();
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await("sweeps").atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** A channel that acknowledges everything and delivers nothing. */
    private static final class DroppingChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }

    /** One log, which begins with its first record and refers to no blob. */
    private class EmptyLogs implements SweepSource, NotificationLogs, SweepRight {
        private @Nullable StoreClock clock;
        private Duration step = Duration.ZERO;
        private Stage stage = Stage.LIST;

        @Override
        public boolean covers(String topic) {
            return true;
        }

        @Override
        public SweepRight right(OwnerTiming timing, Time own) {
            step = timing.raise();
            return this;
        }

        @Override
        public void use(BlobStore swept) {
            clock = new StoreConditions(swept, time).require();
        }

        @Override
        public Leave next() {
            return new Leave(stage, BlobId.NO_OWNER, lifetime.timeToLive(), Optional.empty());
        }

        @Override
        public Duration listed() {
            return to(Stage.DECIDE);
        }

        @Override
        public Duration decided() {
            return to(Stage.DELETE);
        }

        @Override
        public Duration over() {
            return to(Stage.LIST);
        }

        private Duration to(Stage next) {
            stage = next;
            return step;
        }

        @Override
        public StoreClock clock() {
            return Objects.requireNonNull(clock);
        }

        @Override
        public NotificationLogs logs(Time own) {
            return this;
        }

        @Override
        public void requireOwn() {}

        @Override
        public Set<String> topics() {
            return Set.of(P0.stream());
        }

        @Override
        public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) {
            return topics.isEmpty() ? Map.of() : Map.of(P0, new Extent(0, 5));
        }

        @Override
        public void close() {}
    }
}
