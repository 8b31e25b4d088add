package dev.blobshuffle.core.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.BlobVerifier;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.read.SteppedTime;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HubTest {
    private static final Duration WINDOW = Duration.ofMillis(50);
    private static final long HUB = 99;

    private final PendingStore store = new PendingStore();
    private final SteppedTime time = new SteppedTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private final List<BlobId> released = new ArrayList<>();
    private Hub hub = hub(CombineOptions.of(4 << 10, 64 << 10, 128 << 10));

    private Hub hub(CombineOptions options) {
        return new Hub(store, options, time, metrics, new Hub.Names(HUB, 0), owner -> owner < 100);
    }

    @AfterEach
    void everythingComesBack() {
        hub.close();
        time.close();
        assertThat(metrics.value(Gauge.COMBINE_BUFFER_USED)).isZero();
    }

    private CompletableFuture<PartAnswer> hand(BlobLayout part) {
        return hand(part, UnaryOperator.identity());
    }

    private CompletableFuture<PartAnswer> hand(BlobLayout part, UnaryOperator<byte[]> damage) {
        ByteBuffer bytes = ByteBuffer.wrap(damage.apply(TestParts.bytes(part)));
        assertThat(hub.reserve(bytes.remaining())).isTrue();
        return hub.take(part.id(), bytes, () -> released.add(part.id())).toCompletableFuture();
    }

    private static Reason reason(CompletableFuture<PartAnswer> answer) {
        assertThat(answer).isCompletedExceptionally();
        try {
            throw new AssertionError("answered: " + answer.get());
        } catch (ExecutionException e) {
            return ((PartRefusedException) e.getCause()).reason();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void answersAfterThePutAndNotBefore() {
        CompletableFuture<PartAnswer> answer = hand(TestParts.layout(TestParts.id(1, 0), 0));
        time.advance(WINDOW);

        assertThat(store.puts).hasSize(1);
        assertThat(answer).isNotDone();
        store.puts.get(0).succeed();
        assertThat(answer).isCompleted();
        assertThat(metrics.value(Counter.BLOBS_COMBINED)).isEqualTo(1);
    }

    @Test
    void aLoneWriterWaitsForNobody() {
        hand(TestParts.layout(TestParts.id(1, 0), 0));

        assertThat(store.puts).hasSize(1);
        store.puts.get(0).succeed();
        assertThat(released).containsExactly(TestParts.id(1, 0));
    }

    @Test
    void waitsForTheLiveWritersAndAtMostForTheWindow() {
        hand(TestParts.layout(TestParts.id(1, 0), 0));
        hand(TestParts.layout(TestParts.id(2, 0), 0));
        assertThat(store.puts)
                .as("the second writer was unknown when the first came")
                .hasSize(1);

        hand(TestParts.layout(TestParts.id(1, 1), 0));
        assertThat(store.puts).as("writer 2 is in, and now writer 1").hasSize(2);

        hand(TestParts.layout(TestParts.id(1, 2), 0));
        time.advance(WINDOW.minusMillis(1));
        assertThat(store.puts).hasSize(2);
        time.advance(Duration.ofMillis(1));
        assertThat(store.puts).hasSize(3);

        time.advance(Duration.ofSeconds(3));
        hand(TestParts.layout(TestParts.id(1, 3), 0));
        assertThat(store.puts).as("writer 2 is gone").hasSize(4);
        store.puts.forEach(PendingStore.Put::succeed);
    }

    /** Every segment is read through its notification, as a reader does. */
    @Test
    void everySegmentIsFoundAtItsPlace() {
        List<BlobLayout> parts = List.of(
                TestParts.layout(TestParts.id(1, 0), 0, 1, 4),
                TestParts.layout(TestParts.id(2, 0), 1, 3),
                TestParts.layout(TestParts.id(3, 0), 2));
        knowWriters(1, 2, 3);
        List<CompletableFuture<PartAnswer>> answers =
                parts.stream().map(this::hand).toList();
        PendingStore.Put put = store.puts.get(store.puts.size() - 1);
        put.succeed();

        Footer footer = BlobVerifier.verify(ByteBuffer.wrap(put.bytes()));
        assertThat(footer.id()).isEqualTo(put.id());
        assertThat(footer.segments())
                .extracting(segment -> segment.partition().number())
                .containsExactly(0, 1, 1, 2, 3, 4);
        for (int i = 0; i < parts.size(); i++) {
            Placement placement = answers.get(i).join().placement(parts.get(i));
            assertThat(placement.id()).isEqualTo(put.id());
            for (Notification notification : placement.notifications()) {
                assertThat(value(put.bytes(), notification))
                        .startsWith(parts.get(i).id() + "/");
            }
        }
    }

    private void knowWriters(long... writers) {
        for (long writer : writers) {
            hand(TestParts.layout(TestParts.id(writer, 77), 0));
        }
        time.advance(WINDOW);
        store.puts.forEach(PendingStore.Put::succeed);
    }

    private static String value(byte[] blob, Notification notification) {
        for (int number = 0; number < 5; number++) {
            Partition partition = new Partition("t", number);
            if (notification.belongsTo(partition)) {
                SegmentReader reader =
                        new SegmentReader(notification, partition, Keyring.none(), SegmentReader.Memory.UNLIMITED);
                reader.input(
                        ByteBuffer.wrap(blob, (int) notification.segmentOffset(), (int) notification.segmentLength()));
                assertThat(reader.next()).isTrue();
                String value = new String(reader.value(), StandardCharsets.UTF_8);
                assertThat(value).endsWith("/" + number);
                return value;
            }
        }
        throw new AssertionError("of no partition: " + notification);
    }

    @Test
    void ownersAndGenerationsNeverShareABlob() {
        knowWriters(1, 2, 3);
        int before = store.puts.size();
        hand(TestParts.layout(TestParts.id(1, 0), 0));
        hand(TestParts.layout(new BlobId(8, TestParts.GENERATION, 2, 0), 0));
        hand(TestParts.layout(new BlobId(TestParts.OWNER, TestParts.GENERATION + 1, 3, 0), 0));
        time.advance(WINDOW);

        List<PendingStore.Put> puts = store.puts.subList(before, store.puts.size());
        assertThat(puts).hasSize(3);
        assertThat(puts)
                .extracting(put -> put.id().owner() + "/" + put.id().generation())
                .containsExactlyInAnyOrder(
                        "7/" + TestParts.GENERATION, "8/" + TestParts.GENERATION, "7/" + (TestParts.GENERATION + 1));
        puts.forEach(PendingStore.Put::succeed);
    }

    @Test
    void storesBeforeABlobGrowsTooLarge() {
        BlobLayout part = TestParts.layout(TestParts.id(1, 0), 0);
        hub.close();
        hub = hub(CombineOptions.of(4 << 10, 2 * part.length(), 128 << 10));
        knowWriters(1, 2, 3, 4);
        int before = store.puts.size();
        hand(TestParts.layout(TestParts.id(1, 1), 0));
        hand(TestParts.layout(TestParts.id(2, 1), 0));
        assertThat(store.puts).hasSize(before + 1);
        hand(TestParts.layout(TestParts.id(3, 1), 0));
        hand(TestParts.layout(TestParts.id(4, 1), 0, 1));
        assertThat(store.puts).as("the longer part does not fit any more").hasSize(before + 2);
        time.advance(WINDOW);
        assertThat(store.puts).hasSize(before + 3);
        store.puts.forEach(PendingStore.Put::succeed);
    }

    @Test
    void aFailedPutFailsEveryPart() {
        knowWriters(1, 2);
        CompletableFuture<PartAnswer> first = hand(TestParts.layout(TestParts.id(1, 0), 0));
        CompletableFuture<PartAnswer> second = hand(TestParts.layout(TestParts.id(2, 0), 0));
        store.puts.get(store.puts.size() - 1).fail(new StoreUnavailableException("Cannot store: test. Try again."));

        assertThatThrownBy(first::get).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(second::get).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(released).contains(TestParts.id(1, 0), TestParts.id(2, 0));
    }

    @Test
    void memoryIsBounded() {
        assertThat(hub.reserve((128 << 10) - 10)).isTrue();
        assertThat(hub.reserve(11)).isFalse();
        assertThat(metrics.value(Counter.PARTS_TURNED_AWAY)).isEqualTo(1);
        assertThat(hub.reserve(10)).isTrue();
        hub.release(128 << 10);
    }

    @Test
    void refusesForeignPartsAndUnusableOnes() {
        BlobLayout part = TestParts.layout(TestParts.id(1, 0), 0, 3);
        assertThat(reason(hand(TestParts.layout(new BlobId(100, TestParts.GENERATION, 1, 0), 0))))
                .isEqualTo(Reason.FOREIGN);
        assertThat(reason(hand(TestParts.layout(new BlobId(TestParts.GENERATION, 1, 0), 0))))
                .as("without an owner")
                .isEqualTo(Reason.FOREIGN);
        assertThat(reason(hand(part, bytes -> Arrays.copyOf(bytes, bytes.length - 1))))
                .isEqualTo(Reason.UNUSABLE);
        assertThat(reason(hub.take(TestParts.id(1, 1), reserved(TestParts.bytes(part)), () -> {})
                        .toCompletableFuture()))
                .as("another blob than it says")
                .isEqualTo(Reason.UNUSABLE);
    }

    private ByteBuffer reserved(byte[] bytes) {
        assertThat(hub.reserve(bytes.length)).isTrue();
        return ByteBuffer.wrap(bytes);
    }

    /** A damaged part is refused, or only its bodies differ, whose checksums readers verify. */
    @Test
    void aDamagedPartNeverDamagesTheOthers() {
        Random random = new Random(42);
        BlobLayout sound = TestParts.layout(TestParts.id(1, 0), 0, 3);
        for (int i = 0; i < 2000; i++) {
            knowWriters(1, 2);
            CompletableFuture<PartAnswer> damaged = hand(sound, bytes -> {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
                return bytes;
            });
            BlobLayout other = TestParts.layout(TestParts.id(2, 0), 0, 3);
            CompletableFuture<PartAnswer> answer = hand(other);
            time.advance(WINDOW);
            PendingStore.Put put = store.puts.get(store.puts.size() - 1);
            put.succeed();
            answer.join().placement(other).notifications().forEach(each -> value(put.bytes(), each));
            if (!damaged.isCompletedExceptionally()) {
                damaged.join().placement(sound);
            }
            store.puts.clear();
        }
    }

    @Test
    void aClosedHubRefusesWhatWaitsAndWhatComes() {
        knowWriters(1, 2);
        CompletableFuture<PartAnswer> waiting = hand(TestParts.layout(TestParts.id(1, 0), 0));
        hub.close();

        assertThat(reason(waiting)).isEqualTo(Reason.BUSY);
        assertThat(reason(hand(TestParts.layout(TestParts.id(2, 0), 0)))).isEqualTo(Reason.BUSY);
        assertThat(released).contains(TestParts.id(1, 0), TestParts.id(2, 0));
    }
}
