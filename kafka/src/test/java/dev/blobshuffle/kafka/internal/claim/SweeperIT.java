package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Channel.SegmentRecords;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafka.Clients;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sweeper of an application on a real broker and a file store, with intervals of milliseconds.
 * Every writer sends its notification before the next listing matters.
 */
class SweeperIT {
    /** The prefix under which a store records the clusters that sweep it. */
    private static final String CLAIMS = "/0000000000/";

    private static final BlobLifetime NO_FLOOR = new BlobLifetime(Optional.empty(), Duration.ZERO);

    private static final SweepTiming OFTEN = new SweepTiming(Duration.ofMillis(100), Duration.ofMillis(20));

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private String topic;

    @BeforeEach
    void createTopic() {
        topic = newTopic();
    }

    private static String newTopic() {
        String name = "sweeper-" + System.nanoTime();
        KAFKA.createTopic(name, 1);
        return name;
    }

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        time.close();
    }

    private Map<String, Object> settings(Object... more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                directory.toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                "sweeper-.*"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }

    /** Writes one blob per value. */
    private void write(String to, String... values) {
        write(settings(), to, values);
    }

    private static void write(Map<String, Object> settings, String to, String... values) {
        try (Producer<String, String> producer =
                new BlobProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(to, 0, "k", value));
                producer.flush();
            }
        }
    }

    private List<String> read(int count, Object... more) {
        Map<String, Object> settings = settings(more);
        // A consumer that is closed waits for its last fetch.
        settings.put("fetch.max.wait.ms", 50);
        try (Consumer<String, String> consumer =
                new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            List<String> read = new ArrayList<>();
            await(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> read.add(record.value()));
                return read.size() >= count;
            });
            if (more.length > 0) {
                consumer.commitSync();
            }
            return read;
        }
    }

    private void purgeBefore(long offset) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get();
        }
    }

    private long blobs() {
        return LiveFiles.blobs(directory.resolve("blobs")).stream()
                .filter(file -> !file.toString().contains(CLAIMS))
                .count();
    }

    private static void await(Callable<Boolean> condition) {
        Clients.waitFor("the sweeper").until(condition);
    }

    private KafkaNotificationLogs logs() {
        return new KafkaNotificationLogs(Map.of("bootstrap.servers", KAFKA.bootstrapServers()), time);
    }

    private static Map<String, Object> client() {
        return Map.of("bootstrap.servers", KAFKA.bootstrapServers());
    }

    /** The identity of this test's writers. */
    private ClaimIdentity identity(Object... more) {
        return ClaimIdentity.ofClients(KafkaSettings.parse(settings(more)), client());
    }

    /** An identity with its own name and claims topic; several applications may share a store. */
    private ClaimIdentity application(String name) {
        return ClaimIdentity.ofStreams(name, client(), KafkaSettings.parse(settings()));
    }

    private OwnerSweepRight right(BlobStore store) {
        OwnerSweepRight right =
                OwnerSweepRight.own(new KafkaClaims(identity(), time), OwnerTiming.quick(Duration.ZERO), time);
        right.use(store);
        return right;
    }

    private OwnerText owners(BlobStore store) {
        return new OwnerRegister(store, time).read();
    }

    private BlobStore store() {
        return BlobStores.openUnchecked(directory.toUri().toString(), StoreContext.unmetered(time));
    }

    /** A sweep of an instance that reads the given partitions, if it is the instance's turn. */
    private void sweep(Supplier<BlobStore> stores, ShuffleMetrics into, Set<Partition> reads, Object... more) {
        Sweeper sweeper = new Sweeper(
                Optional.of(OFTEN), NO_FLOOR, stores, new ClaimedLogs(identity(more), topic::equals), into, time);
        open.push(sweeper);
        sweeper.watch(Membership.none()).reading().reads(reads);
    }

    private void sweep() {
        sweep(this::store, metrics, Set.of(new Partition(topic, 0)));
    }

    private void awaitSweeps(int more) {
        long before = metrics.value(Counter.SWEEPS);
        await(() -> metrics.value(Counter.SWEEPS) >= before + more);
    }

    @Test
    void stoppedAndNewGroupsReadAllThatKafkaHoldsAfterSweepsAndTheRestIsGone() throws Exception {
        write(topic, "a", "b", "c", "d");
        assertThat(read(2, "group.id", topic, "max.poll.records", 1)).hasSize(2);
        purgeBefore(1);
        sweep();
        await(() -> blobs() == 3);
        awaitSweeps(3);
        assertThat(blobs()).isEqualTo(3);
        assertThat(metrics.value(Counter.BLOBS_SWEPT)).isEqualTo(1);
        assertThat(metrics.value(Counter.ORPHANS_SWEPT)).isZero();
        assertThat(metrics.value(Counter.BYTES_SWEPT)).isPositive();
        assertThat(metrics.value(Gauge.NEEDED_BLOBS)).isEqualTo(3);
        assertThat(metrics.value(Gauge.STORED_BLOBS)).isEqualTo(3);
        assertThat(metrics.value(Gauge.STORED_BYTES)).isPositive();

        assertThat(read(2, "group.id", topic)).containsExactly("c", "d");
        assertThat(read(3, "group.id", "new-" + topic)).containsExactly("b", "c", "d");

        purgeBefore(4);
        await(() -> blobs() == 0);
        // A sweep reports blobs that the previous one deleted after the listing.
        await(() -> metrics.value(Gauge.STORED_BLOBS) == 0);
        assertThat(metrics.value(Counter.SWEEP_FAILURES)).isZero();
    }

    /**
     * The blob of application "shop-eu" names the topic that "shop" reads, and no log refers to the
     * blob. By names alone it would be an orphan of "shop".
     */
    @Test
    void blobsOfAnotherOwnerAreNotTouchedWhateverTopicsTheyName() throws Exception {
        write(topic, "ours");
        BlobId theirs;
        try (BlobStore shopEu = StoreClaim.open(
                        directory.toUri().toString(), StoreContext.unmetered(time), application("shop-eu"));
                Batcher batcher =
                        new Batcher(shopEu, BatcherOptions.builder().build(), time, new ShuffleMetrics(time));
                Lane lane = batcher.lane("in flight", new SilentChannel())) {
            lane.output(new Partition(topic, 0), Zone.SINGLE).append(0, null, new byte[] {1}, Headers.NONE);
            lane.flush(Duration.ofMinutes(2));
            int owner = shopEu.owner().toCompletableFuture().get();
            long generation =
                    shopEu.generations(owner).toCompletableFuture().get().get(0);
            theirs = shopEu.list(owner, generation)
                    .toCompletableFuture()
                    .get()
                    .get(0)
                    .id();
        }
        purgeBefore(1);
        assertThat(blobs()).isEqualTo(2);
        sweep();
        await(() -> blobs() == 1);
        awaitSweeps(3);
        try (BlobStore store = store()) {
            assertThat(store.length(theirs).toCompletableFuture().get()).isPositive();
            assertThat(owners(store).owners().values())
                    .extracting(OwnerText.Owner::topic)
                    .containsExactlyInAnyOrder("blobshuffle-claims", "shop-eu-blobshuffle-claims");
        }
    }

    /** Reports delivery, but delivers nothing. */
    private static final class SilentChannel implements Channel {
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

    @Test
    void instanceWhoseTurnItIsNotDoesNothing() throws Exception {
        write(topic, "a");
        purgeBefore(1);
        ShuffleMetrics idle = new ShuffleMetrics(time);
        AtomicInteger opened = new AtomicInteger();
        sweep(
                () -> {
                    opened.incrementAndGet();
                    return store();
                },
                idle,
                Set.of(new Partition(topic, 1)));
        sweep();
        await(() -> blobs() == 0);
        awaitSweeps(3);
        assertThat(opened).hasValue(0);
        assertThat(idle.value(Counter.SWEEPS)).isZero();
    }

    @Test
    void twoThatBothBelieveItIsTheirsDeleteNoMoreThanOne() throws Exception {
        write(topic, "a", "b", "c", "d", "e", "f");
        purgeBefore(4);
        ShuffleMetrics second = new ShuffleMetrics(time);
        sweep(this::store, second, Set.of(new Partition(topic, 0)));
        sweep();
        await(() -> blobs() == 2);
        awaitSweeps(3);
        await(() -> second.value(Counter.SWEEPS) >= 3);
        assertThat(blobs()).isEqualTo(2);
        assertThat(read(2)).containsExactly("e", "f");
    }

    /** Fails a number of requests of each kind, then none. */
    private static final class FailingStore extends ForwardingBlobStore {
        private final AtomicInteger lists;
        private final AtomicInteger deletes;

        FailingStore(BlobStore store, AtomicInteger lists, AtomicInteger deletes) {
            super(store);
            this.lists = lists;
            this.deletes = deletes;
        }

        private static <T> CompletionStage<T> failed() {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("Cannot answer: planned by the test.", null));
        }

        @Override
        public CompletionStage<List<Long>> generations(int owner) {
            return lists.getAndDecrement() > 0 ? failed() : super.generations(owner);
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            if (deletes.getAndDecrement() > 0) {
                List<BlobId> half = List.copyOf(ids).subList(0, ids.size() / 2);
                // Some blobs are deleted; which ones is unknown.
                return super.delete(half).thenCompose(done -> failed());
            }
            return super.delete(ids);
        }
    }

    @Test
    void storeThatFailsLosesNothingAndALaterSweepFinishes() throws Exception {
        write(topic, "a", "b", "c", "d", "e");
        purgeBefore(4);
        AtomicInteger lists = new AtomicInteger(6); // Several sweeps send requests.
        AtomicInteger deletes = new AtomicInteger(6);
        sweep(() -> new FailingStore(store(), lists, deletes), metrics, Set.of(new Partition(topic, 0)));
        await(() -> metrics.value(Counter.SWEEP_FAILURES) >= 2);
        await(() -> blobs() == 1);
        awaitSweeps(2);
        assertThat(read(1)).containsExactly("e");
    }

    @Test
    void timeToLiveTakesWhatIsOldWhoeverMayStillComeForIt() throws Exception {
        Map<String, Object> byAge = settings("blobshuffle.retention", 900_000, "blobshuffle.retention.floor.ms", 0);
        write(byAge, topic, "old");
        try (Stream<Path> generations = Files.walk(directory, 4)) {
            Path generation = generations
                    .filter(path -> path.getFileName().toString().matches("[0-9]{10}")
                            && !path.toString().contains("0000000000"))
                    .findFirst()
                    .orElseThrow();
            Path old = generation.resolveSibling("0000000007");
            Files.move(generation, old);
            try (Stream<Path> blobs = Files.list(old)) {
                Files.setLastModifiedTime(
                        blobs.findFirst().orElseThrow(),
                        FileTime.from(Instant.now().minus(Duration.ofMinutes(16))));
            }
        }
        write(byAge, topic, "young");
        sweep(
                this::store,
                metrics,
                Set.of(new Partition(topic, 0)),
                "blobshuffle.retention",
                900_000,
                "blobshuffle.retention.floor.ms",
                0);
        await(() -> blobs() == 1);
        awaitSweeps(3);
        assertThat(blobs()).isEqualTo(1);
        assertThat(metrics.value(Counter.BLOBS_SWEPT)).isEqualTo(1);
    }

    @Test
    void notificationThatComesAfterTheListingSavesItsBlob() throws Exception {
        write(topic, "a");
        try (BlobStore opened = store();
                KafkaNotificationLogs logs = logs()) {
            Sweep sweep = new Sweep(
                    opened, SweepScope.of(topic::equals), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
            write(topic, "b");
            OwnerSweepRight right = right(opened);
            Map<Partition, NotificationLogs.Term> terms = logs.terms(topic::equals);
            BlobListing listing = list(sweep, right);
            write(topic, "stored after the listing");
            purgeBefore(1);
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.DECIDE);
            SweepReport report = sweep.byLogs(listing, logs, terms);
            right.decided();
            assertThat(blobs()).as("tombstones delete nothing").isEqualTo(3);
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.DELETE);
            sweep.delete(listing, right, logs);
            assertThat(report.listed()).isEqualTo(2);
            assertThat(report.needed()).isEqualTo(1);
            assertThat(report.unneeded()).isEqualTo(1);
            assertThat(report.oldest().orElseThrow().offset()).isEqualTo(1);
        }
        assertThat(blobs()).isEqualTo(2);
        assertThat(read(2)).containsExactly("b", "stored after the listing");
    }

    private static BlobListing list(Sweep sweep, OwnerSweepRight right) throws InterruptedException {
        SweepRight.Leave leave = right.next();
        assertThat(leave.stage()).isEqualTo(SweepRight.Stage.LIST);
        BlobListing listing = sweep.list(leave.owner(), Optional.empty(), NO_FLOOR, right.clock());
        right.listed();
        return listing;
    }

    /** Raises the line as a copy of the cluster would: the id is not in this cluster's topic. */
    private void raiseAsACopy(BlobStore store) {
        StoreCell cell = new StoreCell(store.registers().orElseThrow(), OwnerText.REGISTER);
        Register held = cell.read().orElseThrow();
        String text = held.text()
                .replaceAll("(?m)^(cluster [^ ]+ [^ ]+) .*$", "$1 0123456789abcdef0123456789abcdef")
                .replace("counter ", "counter 1");
        assertThat(cell.replace(Optional.of(held), text)).isTrue();
    }

    @Test
    void storeThatACopyOfTheClusterClaimedLosesNothingUntilAnOperatorSettlesIt() throws Exception {
        write(topic, "a");
        purgeBefore(1);
        try (BlobStore store = store()) {
            raiseAsACopy(store);
            sweep();
            await(() -> metrics.value(Counter.SWEEP_FAILURES) >= 2);
            assertThat(blobs()).isEqualTo(1);
            assertThat(metrics.value(Counter.SWEEPS)).isZero();
            assertThat(owners(store).contests().values())
                    .singleElement()
                    .asString()
                    .contains("a copy of the cluster uses the store", "blobshuffle-claims");

            OwnerClaimant claimant = new OwnerClaimant(
                    new KafkaClaims(identity(), time).seat(store.fingerprint()), OwnerTiming.USUAL, time);
            // It doubts every 20 ms, which is faster than a claim on a busy machine.
            open.pop().close();
            claimant.settle(new OwnerRegister(store, time).cell());
            sweep();
            await(() -> blobs() == 0);
        }
    }

    /** The problem is detected while there are only tombstones, so nothing is deleted. */
    @Test
    void contestBetweenTombstonesAndDeletionKeepsTheBlobs() throws Exception {
        write(topic, "a");
        purgeBefore(1);
        try (BlobStore store = store();
                KafkaNotificationLogs logs = logs()) {
            OwnerSweepRight right = right(store);
            Sweep sweep = new Sweep(
                    store, SweepScope.of(topic::equals), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
            Map<Partition, NotificationLogs.Term> terms = logs.terms(topic::equals);
            BlobListing listing = list(sweep, right);
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.DECIDE);
            assertThat(sweep.byLogs(listing, logs, terms).unneeded()).isEqualTo(1);
            right.decided();
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.DELETE);
            new OwnerRegister(store, time).hold("held by an operator", Set.of());
            assertThatThrownBy(() -> sweep.delete(listing, right, logs))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("changed after the last step");
            assertThat(blobs()).isEqualTo(1);
        }
    }

    /** The claim is older than the copy: only the next check can detect it. */
    @Test
    void aRunningWriterFindsACopyAtItsNextCheck() throws Exception {
        StoreContext context = StoreContext.unmetered(time);
        OwnerTiming often = new OwnerTiming(Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ZERO);
        try (BlobStore store = StoreClaim.open(directory.toUri().toString(), context, application("writer"), often)) {
            int ignored = store.owner().toCompletableFuture().get();
            await(() -> !owners(store).raises().isEmpty());
            assertThat(owners(store).contests()).isEmpty();
            raiseAsACopy(store);
            await(() -> !owners(store).contests().isEmpty());
        }
    }

    /** The register allows writers 45 minutes, regardless of this sweeper's settings. */
    @Test
    void aSweepWaitsByThePromiseOfTheWriters() throws Exception {
        write(topic, "a");
        Map<String, Object> quick = settings("blobshuffle.sweep.interval.ms", 1_200_000);
        OwnerSweepRight right = OwnerSweepRight.own(
                new KafkaClaims(ClaimIdentity.ofClients(KafkaSettings.parse(quick), client()), time),
                OwnerTiming.USUAL,
                time);
        try (BlobStore store = store()) {
            right.use(store);
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.LIST);
            assertThat(right.listed()).isEqualTo(Duration.ofMinutes(60));
            assertThat(right.next().stage()).isEqualTo(SweepRight.Stage.WAIT);
        }
    }
}
