package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.cli.BlobTopic.Outcome;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Channel.SegmentRecords;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.StoreClaim;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs {@code gc} on a real broker and a file store: readable blobs stay, all others are deleted.
 */
class GcIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** A part of the path of the store's registers, which are no blobs. */
    private static final String CLAIMS = "/0000000000/";

    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path store;

    private BlobTopic shared;
    private String topic;

    @BeforeEach
    void createTopic() {
        shared = new BlobTopic(store, "swept");
        topic = shared.name();
    }

    /** Writes one blob per value. */
    private void write(String... values) {
        try (Producer<String, String> producer = shared.producer()) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, 0, "k", value));
                producer.flush();
            }
        }
    }

    private List<String> read(int count, Object... more) {
        try (Consumer<String, String> consumer = shared.consumer(more)) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            return BlobTopic.read(consumer, count).stream()
                    .map(ConsumerRecord::value)
                    .toList();
        }
    }

    private void purgeBefore(long offset) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get();
        }
    }

    private void deleteTopic() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            BlobTopic.waitFor("the topic's end")
                    .until(() -> !admin.listTopics().names().get().contains(topic));
        }
    }

    private long blobs() {
        return LiveFiles.blobs(store.resolve("blobs")).stream()
                .filter(file -> !file.toString().contains(CLAIMS))
                .count();
    }

    private Outcome gc(StringWriter out, String... more) {
        return shared.run(new GcCommand(), store, out, more);
    }

    /** Sweeps without a floor, because the blobs are seconds old. */
    private Outcome sweep(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--floor", "0s"));
        arguments.addAll(Arrays.asList(more));
        return sweepAboveTheFloor(arguments.toArray(String[]::new));
    }

    private Outcome sweepAboveTheFloor(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--execute", "--writers-stopped", "--grace", "0s", "--objection", "0s", "--confirm", "9999"));
        arguments.addAll(Arrays.asList(more));
        return gc(new StringWriter(), arguments.toArray(String[]::new));
    }

    @Test
    void whatKafkaHoldsCanBeReadAfterAnyNumberOfSweepsAndTheRestIsGone() throws Exception {
        write("a", "b", "c", "d");
        for (int i = 0; i < 3; i++) {
            assertThat(sweep().text()).contains("4 blobs are needed", "0 blobs are deleted");
        }
        assertThat(read(4)).containsExactly("a", "b", "c", "d");
        assertThat(read(4, "group.id", "new", "enable.auto.commit", false)).hasSize(4);

        purgeBefore(3);
        assertThat(sweep().text())
                .contains("1 blobs are needed", "3 blobs are deleted")
                .doesNotContain("orphans");
        assertThat(blobs()).isEqualTo(1);
        assertThat(read(1)).containsExactly("d");

        purgeBefore(4);
        assertThat(sweep().text()).contains("0 blobs are needed", "1 blobs are deleted");
        assertThat(blobs()).isZero();
        assertThat(sweep().status()).isZero();
    }

    @Test
    void groupThatStoppedInTheMiddleGoesOnWhereItWas() {
        write("a", "b");
        try (Consumer<String, String> consumer =
                shared.consumer("group.id", "stopped-" + topic, "enable.auto.commit", false)) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            BlobTopic.read(consumer, 1);
            consumer.seek(partition, 1L << 20);
            consumer.commitSync();
        }
        assertThat(sweep().text()).contains("0 blobs are deleted");
        assertThat(read(1, "group.id", "stopped-" + topic, "enable.auto.commit", false))
                .containsExactly("b");
    }

    @Test
    void blobsOfAnOpenTransactionStayAndItCommitsLate() throws Exception {
        try (Producer<String, String> producer = shared.producer("transactional.id", topic)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, "k", "late"));
            producer.flush();
            assertThat(sweep().text()).contains("1 blobs are needed", "0 blobs are deleted");
            producer.commitTransaction();
        }
        assertThat(read(1, "isolation.level", "read_committed")).containsExactly("late");
    }

    @Test
    void blobsOfAnAbortedTransactionGoWithItsNotifications() throws Exception {
        try (Producer<String, String> producer = shared.producer("transactional.id", topic)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, "k", "aborted"));
            producer.flush();
            producer.abortTransaction();
        }
        write("kept");
        purgeBefore(2); // The notification and the marker of the aborted transaction.
        assertThat(sweep().text()).contains("1 blobs are needed", "1 blobs are deleted");
        assertThat(read(1)).containsExactly("kept");
    }

    @Test
    void notificationThatComesLateSavesItsBlobAndABlobWithoutOneIsAnOrphan() throws Exception {
        List<Notification> stored = storeWithoutTelling(2);
        assertThat(blobs()).isEqualTo(2);
        StringWriter out = new StringWriter();
        CompletableFuture<Outcome> running = CompletableFuture.supplyAsync(() -> gc(
                out,
                "--execute",
                "--floor",
                "0s",
                "--writers-stopped",
                "--grace",
                "5s",
                "--objection",
                "0s",
                "--confirm",
                "9"));
        BlobTopic.waitFor("the listing").until(() -> out.toString().contains("Waiting"));
        tell(stored.get(1));
        write("stored after the listing");

        assertThat(running.get(2, TimeUnit.MINUTES).text())
                .contains("Listed 2 blobs", "1 blobs are needed", "1 blobs are deleted", "1 of these are orphans");
        assertThat(blobs()).isEqualTo(2);
        assertThat(read(2)).containsExactly("v1", "stored after the listing");
    }

    /**
     * Kafka has deleted a part of the log, so {@code gc} counts a blob as an orphan only if the log
     * still refers to an older blob.
     */
    @Test
    void orphansAreToldFromReleasedBlobsByWhatTheLogStillHolds() throws Exception {
        write("released");
        purgeBefore(1);
        storeWithoutTelling(1);
        assertThat(json("--execute").get("orphaned_blobs").asInt()).isZero();
        assertThat(blobs()).isZero();

        Notification orphan = storeWithoutTelling(1).get(0);
        BlobId old = new BlobId(orphan.blob().generation() - 20, 7, 0);
        tell(new Notification(old, orphan.store(), 0, 1, 0, 1, 1, orphan.codec(), 0));
        JsonNode dry = json();
        assertThat(dry.get("orphaned_blobs").asInt()).isEqualTo(1);
        assertThat(dry.get("orphaned_bytes").asLong())
                .isEqualTo(dry.get("unneeded_bytes").asLong())
                .isPositive();
        assertThat(json("--execute").get("orphaned_blobs").asInt()).isEqualTo(1);
        assertThat(blobs()).isZero();
    }

    private JsonNode json(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--floor",
                "0s",
                "--writers-stopped",
                "--grace",
                "0s",
                "--objection",
                "0s",
                "--confirm",
                "9999",
                "--json"));
        arguments.addAll(Arrays.asList(more));
        Outcome outcome = gc(new StringWriter(), arguments.toArray(String[]::new));
        assertThat(outcome.status()).as(outcome.text()).isZero();
        String json = outcome.text().substring(outcome.text().indexOf('{'));
        return new ObjectMapper().readTree(json).get("gc");
    }

    private ClaimIdentity writers() {
        Map<String, Object> client = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
        Map<String, Object> settings = Map.of("blobshuffle.store", store.toUri().toString());
        return ClaimIdentity.ofClients(KafkaSettings.parse(settings), client);
    }

    /** Acts as a writer that stores blobs and dies before it sends their notifications. */
    private List<Notification> storeWithoutTelling(int blobs) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = StoreClaim.open(store.toUri().toString(), StoreContext.unmetered(time), writers())) {
            return storeWithoutTelling(opened, blobs, time);
        }
    }

    private List<Notification> storeWithoutTelling(BlobStore opened, int blobs, SystemTime time) {
        List<Notification> stored = new ArrayList<>();
        Channel silent = new Channel() {
            @Override
            public void send(Partition to, Notification notification, long earliest, long latest, Delivery delivery) {
                stored.add(notification);
                delivery.delivered();
            }

            @Override
            public void send(Partition to, SegmentRecords records, Delivery delivery) {
                delivery.failed(new IllegalStateException("nothing is inlined"));
            }

            @Override
            public void flush() {}
        };
        try (ShuffleEngine engine = ShuffleEngine.builder(opened, time)
                        .batching(BatcherOptions.builder().build())
                        .build();
                Lane lane = engine.lane("slow", silent)) {
            for (int i = 0; i < blobs; i++) {
                byte[] value = ("v" + i).getBytes(StandardCharsets.UTF_8);
                lane.output(new Partition(topic, 0), Zone.SINGLE).append(1, null, value, Headers.NONE);
                lane.flush(PATIENCE);
            }
        }
        return stored;
    }

    private void tell(Notification notification) {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                    topic,
                    0,
                    1L,
                    null,
                    NotificationCodec.encode(notification),
                    List.of(new RecordHeader(NotificationRecord.HEADER, new byte[] {1}))));
        }
    }

    @Test
    void roundsThatHoldOneBlobEachSweepEverything() throws Exception {
        write("a", "b", "c", "d");
        purgeBefore(3);
        Outcome dry = gc(new StringWriter(), "--floor", "0s", "--writers-stopped", "--grace", "0s", "--most", "1");
        assertThat(dry.text())
                .contains(
                        "Listed 1 blobs of owner ", "; the next round", "1 blobs are needed", "3 blobs are not needed");
        assertThat(sweep("--most", "1").text()).contains("1 blobs are needed", "3 blobs are deleted");
        assertThat(read(1)).containsExactly("d");
    }

    @Test
    void twoSweepsAtOnceDeleteTheSameAndNoMore() throws Exception {
        write("a", "b", "c", "d", "e", "f");
        purgeBefore(4);
        List<CompletableFuture<Outcome>> both =
                List.of(CompletableFuture.supplyAsync(() -> sweep()), CompletableFuture.supplyAsync(() -> sweep()));
        for (CompletableFuture<Outcome> one : both) {
            assertThat(one.get(2, TimeUnit.MINUTES).status()).isZero();
        }
        assertThat(blobs()).isEqualTo(2);
        assertThat(read(2)).containsExactly("e", "f");
    }

    /**
     * At 16 blobs per second, a step of 64 takes four seconds. The process dies during that time.
     * On a machine that stands still it may finish, with the same result.
     */
    @Test
    void sweepThatIsKilledMidwayIsFinishedByTheNext() throws Exception {
        String[] values = new String[70];
        Arrays.setAll(values, i -> "v" + i);
        write(values);
        purgeBefore(67);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.blobshuffle.cli.Main",
                        "gc",
                        "--bootstrap",
                        KAFKA.bootstrapServers(),
                        "--store",
                        store.toUri().toString(),
                        "--execute",
                        "--writers-stopped",
                        "--grace",
                        "0s",
                        "--objection",
                        "0s",
                        "--confirm",
                        "67",
                        "--floor",
                        "0s",
                        "--rate",
                        "16")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            BlobTopic.waitFor("the first step")
                    .failFast("the sweep ended", () -> !process.isAlive() && blobs() > 6)
                    // A directory was removed meanwhile.
                    .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                    .until(() -> blobs() <= 6);
        } finally {
            process.destroyForcibly().waitFor();
        }
        long left = blobs();
        assertThat(left).isBetween(3L, 6L);
        assertThat(sweep().text()).contains("3 blobs are needed", left - 3 + " blobs are deleted");
        assertThat(blobs()).isEqualTo(3);
        assertThat(read(3)).containsExactly("v67", "v68", "v69");
    }

    @Test
    void reportSaysWhatHoldsTheOldestBlobAndWhoHasStillToReadIt() throws Exception {
        write("a", "b");
        read(1, "group.id", "past-" + topic, "enable.auto.commit", false);
        try (Consumer<String, String> consumer =
                shared.consumer("group.id", "behind-" + topic, "enable.auto.commit", false)) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            consumer.commitSync();
        }
        Outcome text = gc(new StringWriter(), "--writers-stopped", "--grace", "0s");
        assertThat(text.text())
                .contains("offset 0 of " + topic + "-0", "Group behind-" + topic + " must still read it", "2 before");
        JsonNode gc = json();
        assertThat(gc.get("needed_blobs").asInt()).isEqualTo(2);
        assertThat(gc.get("blobs_left").asInt()).isEqualTo(2);
        assertThat(gc.get("listed_bytes_estimated").asLong()).isPositive();
        assertThat(gc.get("oldest_needed").get("offset").asLong()).isZero();
        assertThat(gc.get("oldest_needed").get("groups").get(0).get("group").asText())
                .isEqualTo("behind-" + topic);
    }

    @Test
    void groupCannotBeForgottenBecauseNothingIsKeptForIt() {
        Outcome outcome = gc(new StringWriter(), "--forget", "some-group");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.text()).contains("Cannot forget 'some-group'", "No blob is kept for a group");
    }

    @Test
    void ownerThatIsNotInTheRegisterCannotBeForgotten() {
        write("a");
        Outcome outcome = gc(new StringWriter(), "--forget", "000001");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.text()).contains("Cannot forget owner 000001", "has no such owner");
    }

    /** The owner's claims topic was deleted, so its instances would register another owner. */
    @Test
    void ownerThatNobodyClaimsIsNamedAndOnlyForgettingSweepsIt() throws Exception {
        write("a", "b");
        purgeBefore(1);
        int owner = givenUp();
        String name = BlobId.hex(owner);
        Outcome usual = sweep();
        assertThat(usual.text())
                .contains("Owner " + name, "no instance claims it", "gc --forget " + name, "0 blobs are deleted");
        assertThat(blobs()).isEqualTo(2);

        assertThat(sweep("--forget", name).text()).contains("1 blobs are deleted");
        assertThat(claims()).contains("owner " + name);
        purgeBefore(2);
        assertThat(sweep("--forget", name).text()).contains("1 blobs are deleted");
        assertThat(claims()).doesNotContain("owner " + name);
        assertThat(blobs()).isZero();
        assertThat(store.resolve("blobs").resolve(name)).doesNotExist();
    }

    /**
     * A topic that this cluster lacks may belong to the lost cluster. The blobs stay until the
     * operator names the topic with {@code --deleted-topic}.
     */
    @Test
    void blobsOfALostClusterStayUntilItsTopicsAreDeclaredDeleted() throws Exception {
        write("a");
        deleteTopic();
        String name = BlobId.hex(changedOwner(register -> register.replace(cluster(), "lost-cluster")));

        assertThat(sweep("--forget", name).text()).contains("0 blobs are deleted");
        assertThat(blobs()).isEqualTo(1);
        assertThat(claims()).contains("owner " + name + " lost-cluster");

        assertThat(sweep("--forget", name, "--deleted-topic", topic).text()).contains("1 blobs are deleted");
        assertThat(blobs()).isZero();
        assertThat(claims()).doesNotContain("lost-cluster");
    }

    /** A writer of a version before owners wrote the blob. */
    @Test
    void blobsWithoutAnOwnerStayUntilTheyAreForgotten() throws Exception {
        write("a");
        try (SystemTime time = new SystemTime();
                BlobStore former = BlobStores.openUnchecked(store.toUri().toString(), StoreContext.unmetered(time))) {
            BlobId blob = storeWithoutTelling(former, 1, time).get(0).blob();
            assertThat(blob.owner()).isEqualTo(BlobId.NO_OWNER);
            assertThat(sweep().text())
                    .contains("There are blobs without an owner", "gc --forget 000000", "0 blobs are deleted");
            assertThat(blobs()).isEqualTo(2);

            claimFormerly(former, "another-cluster");
            Outcome refused = sweep("--forget", "000000");
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.text()).contains("another-cluster used the store too, with a version before owners");
            assertThat(blobs()).isEqualTo(2);

            claimFormerly(former, cluster());
            assertThat(sweep("--forget", "000000").text()).contains("1 blobs are deleted");
            assertThat(blobs()).isEqualTo(1);
            assertThat(sweep().text()).doesNotContain("without an owner");
            assertThat(read(1)).containsExactly("a");
        }
    }

    private static String cluster() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            return admin.describeCluster()
                    .clusterId()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
        }
    }

    private static void claimFormerly(BlobStore store, String cluster) {
        Registers registers = store.registers().orElseThrow();
        Optional<Register> held = registers.read("claims").toCompletableFuture().join();
        String text = "BlobShuffle claims 1\ncounter 7\nclaim " + cluster + " topic 0123\n";
        assertThat(registers.replace("claims", held, text).toCompletableFuture().join())
                .isTrue();
    }

    /** Replaces the store's owner by one that no claims topic claims, and returns it. */
    private int givenUp() {
        return changedOwner(register -> register.replaceAll("(?m)^(owner [^ ]+ [^ ]+) [^ ]+", "$1 claims-of-nobody"));
    }

    /** Changes the store's register of owners, and returns the only owner. */
    private int changedOwner(UnaryOperator<String> change) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(store.toUri().toString(), StoreContext.unmetered(time))) {
            Registers registers = opened.registers().orElseThrow();
            Register held =
                    registers.read("owners").toCompletableFuture().join().orElseThrow();
            assertThat(registers
                            .replace("owners", Optional.of(held), change.apply(held.text()))
                            .toCompletableFuture()
                            .join())
                    .isTrue();
            return Collections.max(opened.owners().toCompletableFuture().join());
        }
    }

    @Test
    void timeToLiveTakesWhatIsOldWhateverTheLogHolds() throws Exception {
        write("old");
        try (Stream<Path> paths = Files.walk(store, 4)) {
            Path generation = paths.filter(path -> path.getFileName().toString().matches("[0-9]{10}")
                            && !path.toString().contains("0000000000"))
                    .findFirst()
                    .orElseThrow();
            Files.move(generation, generation.resolveSibling("0000000007"));
        }
        write("young");
        assertThat(gc(new StringWriter(), "--execute", "--retention", "60000").status())
                .isEqualTo(2);
        String[] byAge = {"--execute", "--retention", "15m", "--writers-stopped", "--objection", "0s", "--floor", "0s"};
        assertThat(gc(new StringWriter(), byAge).text())
                .as("its id is of 1970, and the store got it now")
                .contains("older than 900000 ms", "0 blobs are deleted");
        assertThat(blobs()).isEqualTo(2);
        Path old = LiveFiles.blobs(store).stream()
                .filter(path -> path.toString().contains("/0000000007/"))
                .findFirst()
                .orElseThrow();
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofMinutes(16))));
        assertThat(gc(new StringWriter(), byAge).text()).contains("older than 900000 ms", "1 blobs are deleted");
        assertThat(blobs()).isEqualTo(1);
    }

    /** When a demo ends, its cluster is gone for good. */
    @Test
    void lastBlobTakesTheOwnerWithIt() throws Exception {
        write("a", "b");
        purgeBefore(1);
        assertThat(sweep().text()).contains("1 blobs are deleted");
        assertThat(claims()).contains("owner ", "cluster ");
        purgeBefore(2);
        assertThat(sweep().text()).contains("1 blobs are deleted");
        assertThat(claims()).doesNotContain("owner ", "cluster ");
    }

    /** The text of the register of owners. */
    private String claims() {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(store.toUri().toString(), StoreContext.unmetered(time))) {
            return opened.registers()
                    .orElseThrow()
                    .read("owners")
                    .toCompletableFuture()
                    .join()
                    .orElseThrow()
                    .text();
        }
    }

    @Test
    void nothingYoungerThanTheFloorIsDeletedUnlessYouSaySo() throws Exception {
        write("a", "b");
        purgeBefore(1);
        assertThat(sweepAboveTheFloor().text())
                .contains(
                        "1 blobs are needed",
                        "1 blobs are not needed and stay, because they are younger than 21600 s",
                        "0 blobs are deleted")
                .doesNotContain("6 h", "A mistake");
        assertThat(sweepAboveTheFloor("--floor", "59s").text())
                .contains("Blobs of 59s and older may be deleted (--floor; the default is 21600s). A mistake may");
        assertThat(blobs()).isEqualTo(2);
        assertThat(sweep().text()).contains("1 blobs are deleted");
        assertThat(blobs()).isEqualTo(1);
    }

    /**
     * The blob's age is that of its writer's clock. An operator who knows better confirms the
     * number.
     */
    @Test
    void blobOfTheFutureStopsTheSweep() throws Exception {
        write("a", "b");
        purgeBefore(1);
        long minute = TimeUnit.MILLISECONDS.toMinutes(Instant.now().toEpochMilli()) + 60;
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(store.toUri().toString(), StoreContext.unmetered(time))) {
            int owner = Collections.max(opened.owners().toCompletableFuture().join());
            opened.put(new BlobId(owner, minute, 7, 0), BlobContent.of(new byte[] {1}))
                    .toCompletableFuture()
                    .join();
        }
        Outcome stopped = gc(
                new StringWriter(),
                "--execute",
                "--floor",
                "0s",
                "--writers-stopped",
                "--grace",
                "0s",
                "--objection",
                "0s");
        assertThat(stopped.status()).isEqualTo(2);
        assertThat(stopped.text())
                .contains(
                        "Cannot delete 1 blobs: a writer's clock is", "Correct the clock (NTP). Nothing was deleted.");
        assertThat(blobs()).isEqualTo(3);
        assertThat(sweep().text()).contains("1 blobs are deleted");
    }

    @Test
    void withoutTheOptionNothingIsDeleted() throws Exception {
        write("a");
        purgeBefore(1);
        assertThat(gc(new StringWriter(), "--floor", "0s", "--writers-stopped", "--grace", "0s")
                        .text())
                .contains("1 blobs are not needed. Nothing was deleted");
        assertThat(blobs()).isEqualTo(1);
    }

    @Test
    void topicThatTheClusterDoesNotHaveKeepsItsBlobsUntilItIsSaidToBeDeleted() throws Exception {
        write("a");
        deleteTopic();
        assertThat(sweep().text())
                .contains("1 blobs are kept", topic, "0 blobs are deleted")
                .doesNotContain("--deleted-topic");
        assertThat(blobs()).isEqualTo(1);
        assertThat(sweep("--deleted-topic", topic).text()).contains("1 blobs are deleted");
        assertThat(blobs()).isZero();
    }

    @Test
    void clusterWhoseNotificationsLeadToAnotherStoreIsRefused(@TempDir Path other) throws Exception {
        write("a");
        try (Producer<String, String> stranger =
                shared.producer("blobshuffle.store", other.toUri().toString())) {
            stranger.send(new ProducerRecord<>(topic, 0, "k", "b"));
        }
        purgeBefore(1);
        Outcome outcome = sweep();
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.text()).contains("another store", topic);
        assertThat(blobs()).isEqualTo(1);
    }

    @Test
    void damagedFooterOrNotificationDeletesNothingOfItsOwn() throws Exception {
        write("a", "b");
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                    topic,
                    0,
                    1L,
                    null,
                    new byte[] {(byte) 0xb5, 1, 2, 3},
                    List.of(new RecordHeader(NotificationRecord.HEADER, new byte[] {1}))));
        }
        purgeBefore(2);
        assertThat(sweep().status()).isEqualTo(1);
        assertThat(blobs()).isEqualTo(2);

        purgeBefore(3);
        Path blob = LiveFiles.blobs(store).stream()
                .filter(file -> !file.toString().contains(CLAIMS))
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(blob);
        bytes[bytes.length - 1] ^= 1;
        Files.write(blob, bytes);
        assertThat(sweep().text()).contains("footers are damaged", "1 blobs are deleted");
        assertThat(blob).exists();
    }

    @Test
    void holdOnlySaysWhatItWouldDoUnlessItExecutes() throws Exception {
        write("a", "b");
        purgeBefore(1);
        Outcome dry = gc(new StringWriter(), "--hold");
        assertThat(dry.status()).isZero();
        assertThat(dry.text()).contains("Sweeps would delete nothing from");
        assertThat(sweep().text()).contains("1 blobs are deleted");

        purgeBefore(2);
        Outcome held = gc(new StringWriter(), "--hold", "--execute");
        assertThat(held.status()).isZero();
        assertThat(held.text()).contains("any more.").doesNotContain("Nothing was changed");
        Outcome stopped = sweep();
        assertThat(stopped.status()).isEqualTo(2);
        assertThat(stopped.text()).contains("held by an operator");
        assertThat(blobs()).isEqualTo(1);
        assertThat(gc(new StringWriter(), "--hold").text())
                .contains("Sweeps already delete nothing from", ": held by an operator");
    }

    @Test
    void graceBelowWhatWritersNeedIsRefusedWhileTheyRun() {
        Outcome outcome = gc(new StringWriter(), "--execute", "--grace", "3599s");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.text()).contains("--grace is 3599s", "3600s", "--writers-stopped");
    }

    @Test
    void brokersAndStoreComeFromTheSettingsOfTheApplication(@TempDir Path directory) throws Exception {
        write("needed");
        Path config = directory.resolve("app.properties");
        Files.writeString(
                config,
                "bootstrap.servers=" + KAFKA.bootstrapServers() + "\nblobshuffle.store=" + store.toUri()
                        + "\nmetric.reporters=absent.Reporter\n");
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        int status = new CommandLine(new GcCommand())
                .setOut(writer)
                .setErr(writer)
                .execute("--config", config.toString(), "--floor", "0s", "--writers-stopped", "--grace", "0s");
        assertThat(status).as(out.toString()).isZero();
        assertThat(out.toString()).contains("Nothing was deleted; run it with --execute.");
    }
}
