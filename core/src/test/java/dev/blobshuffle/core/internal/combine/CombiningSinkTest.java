package dev.blobshuffle.core.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.read.SteppedTime;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CombiningSinkTest {
    private static final Zone ZONE = new Zone("a");
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final BlobId OWN = TestParts.id(1, 0);
    private static final BlobId COMBINED = TestParts.id(99, 0);

    private final PendingStore store = new PendingStore();
    private final SteppedTime time = new SteppedTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private final List<CompletableFuture<PartAnswer>> handed = new ArrayList<>();
    private final List<Member> asked = new ArrayList<>();
    private final BlobLayout layout = TestParts.layout(OWN, 0, 3);
    private final AtomicInteger recycled = new AtomicInteger();
    private final BlobContent content = BlobContent.of(layout.buffers(), recycled::incrementAndGet);
    private final CombiningSink sink = sink(member(10));

    private static Member member(int number) {
        return new Member(number, new Endpoint("127.0.0.1", number), ZONE, Set.of(), 3);
    }

    private CombiningSink sink(Member... members) {
        return sink(CombiningPolicy.ALWAYS, members);
    }

    private CombiningSink sink(CombiningPolicy policy, Member... members) {
        Hubs hubs = new Hubs(new FixedZoneMap(List.of(members)), ZONE, 1, Optional.empty(), time);
        return new CombiningSink(
                new StoreSink(store),
                store,
                (hub, id, part) -> {
                    asked.add(hub);
                    CompletableFuture<PartAnswer> answer = new CompletableFuture<>();
                    handed.add(answer);
                    return answer;
                },
                hubs,
                CombineOptions.of(4 << 10, 64 << 10, 64 << 10),
                policy,
                time,
                metrics);
    }

    @AfterEach
    void everyReferenceComesBack() {
        content.release();
        assertThat(recycled).hasValue(1);
        time.close();
    }

    private CompletableFuture<Placement> put() {
        return sink.put(OWN, layout, content).toCompletableFuture();
    }

    private PartAnswer answer() {
        Part part = Part.read(OWN, TestParts.STORE, ByteBuffer.wrap(TestParts.bytes(layout)));
        return CombinedBlob.of(COMBINED, 0, List.of(part)).answers().get(0);
    }

    @Test
    void announcesTheHubsBlob() {
        CompletableFuture<Placement> result = put();
        handed.get(0).complete(answer());

        assertThat(result.join().id()).isEqualTo(COMBINED);
        assertThat(store.puts).isEmpty();
        assertThat(metrics.value(Counter.PARTS_COMBINED)).isEqualTo(1);
        time.advance(SLOW.multipliedBy(2));
        assertThat(store.puts).isEmpty();
    }

    @Test
    void putsByItselfIfTheHubRefuses() {
        CompletableFuture<Placement> result = put();
        handed.get(0).completeExceptionally(new PartRefusedException(Reason.BUSY, "Cannot combine: test. Put it."));
        store.puts.get(0).succeed();

        assertThat(result.join().id()).isEqualTo(OWN);
        assertThat(metrics.value(Counter.PARTS_REFUSED)).isEqualTo(1);
    }

    @Test
    void putsByItselfIfTheHubIsSilentAndLeavesItAlone() {
        CompletableFuture<Placement> result = put();
        handed.get(0).completeExceptionally(new StoreUnavailableException("Cannot ask: test. Put it."));
        store.puts.get(0).succeed();
        assertThat(result.join().id()).isEqualTo(OWN);
        assertThat(metrics.value(Counter.PARTS_LOST)).isEqualTo(1);

        put();
        assertThat(handed).hasSize(1);
        assertThat(metrics.value(Counter.PARTS_WITHOUT_HUB)).isEqualTo(1);
        store.puts.get(1).succeed();
    }

    @Test
    void putsByItselfIfTheAnswerIsWrong() {
        CompletableFuture<Placement> result = put();
        handed.get(0).complete(new PartAnswer(COMBINED, answer().sections(), answer().table(), List.of()));
        store.puts.get(0).succeed();

        assertThat(result.join().id()).isEqualTo(OWN);
        assertThat(metrics.value(Counter.PARTS_MISPLACED)).isEqualTo(1);
    }

    @Test
    void theFirstDurableBlobIsTheOnlyOneThatIsAnnounced() {
        CompletableFuture<Placement> hubFirst = put();
        time.advance(SLOW);
        assertThat(store.puts).hasSize(1);
        handed.get(0).complete(answer());
        store.puts.get(0).succeed();
        assertThat(hubFirst.join().id()).isEqualTo(COMBINED);

        CompletableFuture<Placement> ownFirst = put();
        time.advance(SLOW.multipliedBy(2));
        store.puts.get(1).succeed();
        handed.get(1).complete(answer());
        assertThat(ownFirst.join().id()).isEqualTo(OWN);
        assertThat(metrics.value(Counter.PARTS_SLOW)).isEqualTo(2);
        assertThat(metrics.value(Counter.PARTS_COMBINED)).isEqualTo(1);
    }

    @Test
    void aPutOfItsOwnStartsOnce() {
        CompletableFuture<Placement> result = put();
        time.advance(SLOW);
        handed.get(0).completeExceptionally(new StoreUnavailableException("Cannot ask: test. Put it."));
        assertThat(store.puts).hasSize(1);
        StoreUnavailableException failure = new StoreUnavailableException("Cannot store: test. Try again.");
        store.puts.get(0).fail(failure);

        assertThatThrownBy(result::get).hasCause(failure);
    }

    @Test
    void aSlowStoreDoesNotMakeEveryPartTwice() {
        for (int i = 0; i < 3; i++) {
            put();
            time.advance(SLOW.minusMillis(100));
            handed.get(i).complete(answer());
        }
        put();
        time.advance(SLOW.plusMillis(500));
        assertThat(store.puts).as("twice the average has not passed").isEmpty();
        time.advance(Duration.ofMillis(300));
        assertThat(store.puts).hasSize(1);
        store.puts.get(0).succeed();
    }

    @Test
    void asksTheNextMemberIfOneIsNoHubAndNotAgainForAMinute() {
        CombiningSink two = sink(member(10), member(11));
        CompletableFuture<Placement> result = two.put(OWN, layout, content).toCompletableFuture();
        handed.get(0)
                .completeExceptionally(new PartRefusedException(Reason.NO_HUB, "Cannot combine: test. Ask another."));
        assertThat(asked).doesNotHaveDuplicates().hasSize(2);
        handed.get(1).complete(answer());
        assertThat(result.join().id()).isEqualTo(COMBINED);

        two.put(OWN, layout, content);
        assertThat(asked.get(2)).isEqualTo(asked.get(1));
        handed.get(2).complete(answer());
        time.advance(Duration.ofMinutes(1));
        two.put(OWN, layout, content);
        assertThat(asked.get(3)).isEqualTo(asked.get(0));
        handed.get(3).complete(answer());
    }

    @Test
    void handsOverOnlyWhatItMayStoreNow() {
        store.owner = new CompletableFuture<>();
        put();
        assertThat(handed).as("no recent check").isEmpty();
        store.puts.get(0).succeed();

        store.owner = CompletableFuture.completedFuture(TestParts.OWNER + 1);
        put();
        assertThat(handed).as("another owner by now").isEmpty();
        store.puts.get(1).succeed();

        BlobId ownerless = new BlobId(TestParts.GENERATION, 1, 0);
        store.owner = CompletableFuture.completedFuture(BlobId.NO_OWNER);
        sink.put(ownerless, layout, content);
        assertThat(handed).as("without an owner").isEmpty();
        store.puts.get(2).succeed();
    }

    @Test
    void largeBlobsAreNotHandedOver() {
        BlobLayout large = TestParts.layout(OWN, new int[60]);
        sink.put(OWN, large, content);

        assertThat(large.length()).isGreaterThan(4 << 10);
        assertThat(handed).isEmpty();
        assertThat(metrics.value(Counter.PARTS_WITHOUT_HUB)).isZero();
        store.puts.get(0).succeed();
    }

    @Test
    void thePolicyDecidesForEachBlobAndLearnsItsEnd() {
        List<String> ends = new ArrayList<>();
        boolean[] isOn = {false};
        CombiningPolicy policy = new CombiningPolicy() {
            @Override
            public boolean handsOver(long blobBytes) {
                return isOn[0];
            }

            @Override
            public boolean inlines(long batchBytes, long alone) {
                return isOn[0];
            }

            @Override
            public void combined(long partBytes, long blobBytes) {
                ends.add("combined " + partBytes + " " + blobBytes);
            }

            @Override
            public void failed(long partBytes) {
                ends.add("failed " + partBytes);
            }
        };
        CombiningSink decided = sink(policy, member(10));
        decided.put(OWN, layout, content);
        assertThat(handed).isEmpty();
        store.puts.get(0).succeed();
        assertThat(decided.inlines(1, 2)).isFalse();

        isOn[0] = true;
        CompletableFuture<Placement> result = decided.put(OWN, layout, content).toCompletableFuture();
        isOn[0] = false; // The part on its way stays there.
        handed.get(0).complete(answer());
        assertThat(result.join().id()).isEqualTo(COMBINED);

        isOn[0] = true;
        decided.put(OWN, layout, content);
        handed.get(1).completeExceptionally(new PartRefusedException(Reason.BUSY, "Cannot combine: test. Put it."));
        store.puts.get(1).succeed();
        long bytes = layout.sections().get(layout.sections().size() - 1).end();
        assertThat(ends).containsExactly("combined " + bytes + " " + bytes, "failed " + bytes);
        assertThat(decided.inlines(2, 1)).isTrue();
    }
}
