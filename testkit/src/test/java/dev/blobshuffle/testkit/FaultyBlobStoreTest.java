package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FaultyBlobStoreTest {
    private static final BlobId ID = new BlobId(1, 2, 3);
    private static final byte[] BLOB = {0, 1, 2, 3, 4, 5, 6, 7};

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SimulatedTime time = new SimulatedTime(13);
    private final MemoryBlobStore memory = new MemoryBlobStore("faults", 1000);
    private final FaultyBlobStore store = new FaultyBlobStore(loans.watch(memory), time, request -> StoreFault.NONE);

    @AfterEach
    void end() {
        store.close();
        time.close();
    }

    private CompletableFuture<Void> put() {
        TrackedContent content = loans.content(BLOB.clone());
        CompletableFuture<Void> put = store.put(ID, content).toCompletableFuture();
        content.release();
        return put;
    }

    private CompletableFuture<BlobBytes> get(Kind fault) {
        store.follow(FaultPlan.gets(StoreFault.of(fault)));
        return store.get(ID, BlobRange.of(0, 8)).toCompletableFuture();
    }

    @Test
    void aPutFailsBeforeOrAfterItsEffect() {
        store.follow(FaultPlan.puts(StoreFault.of(Kind.FAIL_BEFORE), StoreFault.of(Kind.FAIL_AFTER)));
        assertThatThrownBy(() -> put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(memory.usedBytes()).isZero();
        assertThatThrownBy(() -> put().join()).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(memory.usedBytes()).isEqualTo(8);
        assertThat(store.faults()).isEqualTo(2);
    }

    @Test
    void aReadIsShortOrHasOneWrongBitOrFindsNothing() {
        put().join();
        ByteBuffer whole = ByteBuffer.wrap(BLOB);
        ByteBuffer truncated = get(Kind.TRUNCATE).join().buffer();
        assertThat(truncated.remaining()).isLessThan(8);
        assertThat(truncated).isEqualTo(whole.slice(0, truncated.remaining()));
        ByteBuffer flipped = get(Kind.FLIP).join().buffer();
        assertThat(flipped.getLong(0) ^ whole.getLong(0)).matches(difference -> Long.bitCount(difference) == 1);
        assertThatThrownBy(() -> get(Kind.MISSING).join()).hasCauseInstanceOf(BlobMissingException.class);
        assertThatThrownBy(() -> get(Kind.FAIL_AFTER).join()).hasCauseInstanceOf(StoreUnavailableException.class);
        get(Kind.DELAY).join().close();
        assertThat(whole).isEqualTo(ByteBuffer.wrap(new byte[] {0, 1, 2, 3, 4, 5, 6, 7}));
    }

    @Test
    void aHangingPutHoldsItsContentUntilTheClose() {
        store.follow(FaultPlan.puts(StoreFault.of(Kind.HANG)));
        TrackedContent content = loans.content(BLOB.clone());
        CompletableFuture<Void> put = store.put(ID, content).toCompletableFuture();
        content.release();
        time.settle(Duration.ofDays(1));
        assertThat(put).isNotDone();
        assertThat(content.references()).isEqualTo(1);
        store.close();
        assertThat(content.references()).isZero();
        assertThatThrownBy(put::join).hasCauseInstanceOf(ClosedException.class);
    }

    @Test
    void chanceFollowsFromTheSeedAndHitsAboutAsOftenAsAsked() {
        assertThat(faultsOf(1)).isEqualTo(faultsOf(1)).isBetween(250L, 350L);
        assertThat(faultsOf(1)).isNotEqualTo(faultsOf(2));
    }

    private long faultsOf(long seed) {
        try (SimulatedTime seeded = new SimulatedTime(seed);
                FaultyBlobStore chance = new FaultyBlobStore(
                        memory,
                        seeded,
                        FaultPlan.random(seeded, 300, Duration.ofMillis(5), List.of(Kind.FAIL_BEFORE, Kind.MISSING)))) {
            for (int i = 0; i < 1000; i++) {
                chance.get(ID, BlobRange.of(0, 1));
            }
            seeded.settle(Duration.ofSeconds(1));
            return chance.faults();
        }
    }

    @Test
    void theCheckFindsWhatIsNotGivenBackAndWhatIsMisused() {
        LoanCheck own = new LoanCheck(Duration.ZERO);
        TrackedContent content = own.content(BLOB.clone());
        own.expectZero("the budget", () -> 5);
        assertThatThrownBy(own::check)
                .hasMessageContaining("content 0 has 1 references")
                .hasMessageContaining("the budget is 5");
        content.release();
        content.release();
        assertThatThrownBy(own::check).hasMessageContaining("released more often");

        LoanCheck bytes = new LoanCheck(Duration.ZERO);
        put().join();
        BlobBytes read = bytes.watch(memory)
                .get(ID, BlobRange.of(0, 1))
                .toCompletableFuture()
                .join();
        assertThatThrownBy(bytes::check).hasMessageContaining("is not closed");
        read.close();
        bytes.check();
    }
}
