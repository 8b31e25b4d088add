package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.claim.MemoryClaims;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.claim.RegisteredStore;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Applications whose leases end by the clock of their store, which the test sets. */
class LeaseSweepTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration GRACE = Duration.ofMinutes(15);
    private static final long MINUTE = 29_000_000;

    private final AtomicLong clock = new AtomicLong(MINUTE * BlobId.MILLIS_PER_GENERATION);
    private final RegisteredStore store = new RegisteredStore(clock::get);
    private final SystemTime time = new SystemTime();
    private final LeaseRegister register = new LeaseRegister(store, time);
    private final AtomicInteger sequence = new AtomicInteger();

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private int application(String name) throws InterruptedException {
        int owner = register.take(HOUR, name);
        put(owner, 3);
        return owner;
    }

    private void put(int owner, int blobs) {
        for (int i = 0; i < blobs; i++) {
            store.put(
                            new BlobId(owner, MINUTE + i % 2, 7, sequence.getAndIncrement()),
                            BlobContent.of(new byte[] {1, 2, 3}))
                    .toCompletableFuture()
                    .join();
        }
    }

    private int blobs(int owner) {
        int sum = 0;
        for (long generation : store.generations(owner).toCompletableFuture().join()) {
            sum += store.list(owner, generation).toCompletableFuture().join().size();
        }
        return sum;
    }

    private void pass(Duration duration) {
        clock.addAndGet(duration.toMillis() + 1);
    }

    private LeaseSweep.Report sweep(BlobStore swept, int... spared) throws InterruptedException {
        Set<Integer> own = spared.length == 0 ? Set.of() : Set.of(spared[0]);
        return new LeaseSweep(swept, own, SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time), time).pass();
    }

    private void renew(int owner, String name) throws InterruptedException {
        assertThat(register.renew(owner, HOUR, name)).isPresent();
    }

    @Test
    void theBlobsOfAnApplicationThatIsGoneAreDeletedAndNoOthers() throws InterruptedException {
        int gone = application("gone");
        int other = application("other");
        put(BlobId.NO_OWNER, 2);
        pass(HOUR);
        renew(other, "other");

        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(1, 0, 0));
        assertThat(blobs(gone)).as("its driver may still wake up").isEqualTo(3);
        pass(GRACE);
        renew(other, "other");
        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(0, 1, 3));

        assertThat(blobs(gone)).isZero();
        assertThat(blobs(other)).isEqualTo(3);
        assertThat(blobs(BlobId.NO_OWNER)).isEqualTo(2);
        assertThat(register.read().leases()).containsOnlyKeys(other);
        assertThat(new OwnerRegister(store, time).read().owners()).containsOnlyKeys(other);
    }

    @Test
    void aLeaseThatIsRenewedDoesNotEnd() throws InterruptedException {
        int owner = application("renewed");
        for (int i = 0; i < 5; i++) {
            pass(HOUR.minusMinutes(1));
            assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(0, 0, 0));
            renew(owner, "renewed");
        }
        assertThat(blobs(owner)).isEqualTo(3);
    }

    /** A blob's generation is the minute of its writer's clock. */
    @Test
    void wrongClocksOfWritersNeitherKeepNorShortenTheLivesOfBlobs() throws InterruptedException {
        int owner = register.take(HOUR, "wrong");
        int other = register.take(HOUR, "other");
        for (int each : List.of(owner, other)) {
            for (long minutes : List.of(-60L, 60L, 60L * 24 * 365)) {
                BlobId blob = new BlobId(each, MINUTE + minutes, 7, sequence.getAndIncrement());
                store.put(blob, BlobContent.of(new byte[] {1}))
                        .toCompletableFuture()
                        .join();
            }
        }
        pass(HOUR);
        renew(other, "other");
        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(1, 0, 0));
        pass(GRACE);
        renew(other, "other");

        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(0, 1, 3));
        assertThat(blobs(owner)).isZero();
        assertThat(blobs(other)).isEqualTo(3);
    }

    /** A driver that stood still wakes up. */
    @Test
    void aLeaseThatIsRenewedInItsGraceKeepsTheBlobs() throws InterruptedException {
        int owner = application("woken");
        pass(HOUR);
        assertThat(sweep(store).ended()).isEqualTo(1);
        pass(GRACE);
        renew(owner, "woken");

        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(0, 0, 0));
        assertThat(blobs(owner)).isEqualTo(3);
    }

    /** Between two requests that delete. */
    @Test
    void aLeaseThatIsRenewedStopsTheDeletion() throws InterruptedException {
        int owner = register.take(HOUR, "woken");
        put(owner, 1200);
        pass(HOUR);
        LeaseSweep.Report ignored = sweep(store);
        pass(GRACE);
        BlobStore waking = new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Void> delete(Collection<BlobId> ids) {
                return super.delete(ids).thenRun(() -> {
                    try {
                        renew(owner, "woken");
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
            }
        };

        assertThat(sweep(waking)).isEqualTo(new LeaseSweep.Report(0, 0, 0));
        assertThat(blobs(owner)).isEqualTo(700);
        assertThat(register.read().lease(owner)).isPresent();
    }

    @Test
    void anApplicationThatWakesUpTooLateKnowsIt() throws InterruptedException {
        int owner = application("late");
        pass(HOUR);
        LeaseSweep.Report ignored = sweep(store);
        pass(GRACE);
        assertThat(sweep(store).owners()).isEqualTo(1);

        assertThat(register.renew(owner, HOUR, "late")).isEmpty();
        put(owner, 2);
        assertThat(sweep(store)).as("it has a lease again").isEqualTo(new LeaseSweep.Report(0, 0, 0));
        register.remove(owner);
        assertThat(register.read().leases()).isEmpty();
    }

    /** All leases look as if they had ended. Those who live say so in the grace. */
    @Test
    void aClockOfTheStoreThatJumpsDeletesNothingOfTheLiving() throws InterruptedException {
        int owner = application("living");
        pass(Duration.ofDays(1));
        assertThat(sweep(store).ended()).isEqualTo(1);
        renew(owner, "living");
        assertThat(sweep(store)).isEqualTo(new LeaseSweep.Report(0, 0, 0));
        assertThat(blobs(owner)).isEqualTo(3);
    }

    @Test
    void anOperatorHoldsTheStore() throws InterruptedException {
        int owner = application("gone");
        new OwnerRegister(store, time).hold("held by an operator", Set.of());
        pass(HOUR);
        LeaseSweep.Report ignored = sweep(store);
        pass(GRACE);
        ignored = sweep(store);
        assertThat(blobs(owner)).isEqualTo(3);

        register.settle();
        ignored = sweep(store);
        pass(GRACE);
        assertThat(sweep(store).owners()).isEqualTo(1);
    }

    /** A sweep by Kafka and one by leases share the store, and neither sees the other's blobs. */
    @Test
    void anOwnerOfAClusterIsNeverTouched() throws InterruptedException {
        MemoryClaims cluster = new MemoryClaims("cluster");
        OwnerTiming often = new OwnerTiming(Duration.ofSeconds(2), Duration.ofSeconds(6), Duration.ZERO);
        Promise needed = new Promise(Duration.ofMinutes(45), Optional.empty());
        try (BlobStore kafka =
                OwnerWatch.watched(new LentBlobStore(store), cluster.member("app", needed), often, time)) {
            int owner = kafka.owner().toCompletableFuture().join();
            put(owner, 4);
            // Even with a line that names the owner: by whatever mistake.
            assertThat(register.renew(owner, HOUR, "mistake")).isEmpty();
            int spark = application("spark");
            pass(HOUR);
            LeaseSweep.Report ignored = sweep(store, spark);
            pass(GRACE);
            ignored = sweep(store, spark);

            assertThat(blobs(owner)).isEqualTo(4);
            assertThat(blobs(spark)).isEqualTo(3);
            OwnerText text = new OwnerRegister(store, time).read();
            assertThat(text.owners()).containsKeys(owner, spark);
            assertThat(text.isLeased(owner)).isFalse();
            assertThat(text.isLeased(spark)).isTrue();
        }
    }

    @Test
    void theWatchRenewsAndSweepsAndGivesUp() throws InterruptedException {
        int gone = register.take(Duration.ofSeconds(4), "gone");
        put(gone, 3);
        AtomicInteger losses = new AtomicInteger();
        LeaseWatch watch = LeaseWatch.begin(
                store, new LeaseWatch.Terms(Duration.ofSeconds(4), "watched"), losses::incrementAndGet, time);
        put(watch.owner(), 3);
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            clock.addAndGet(1000);
            return blobs(gone) == 0;
        });
        assertThat(blobs(watch.owner())).isEqualTo(3);

        register.remove(watch.owner());
        await().atMost(Duration.ofMinutes(2)).until(() -> losses.get() == 1);
        assertThat(register.read().lease(watch.owner())).isPresent();

        watch.end(Duration.ofMinutes(2));
        assertThat(blobs(watch.owner())).isZero();
        assertThat(register.read().leases()).isEmpty();
        List<StoredBlob> none =
                store.list(watch.owner(), MINUTE).toCompletableFuture().join();
        assertThat(none).isEmpty();
    }

    @Test
    void anEndDoesNotWaitForAStoreThatIsSilent() {
        AtomicBoolean isSilent = new AtomicBoolean();
        BlobStore silent = new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<List<Long>> generations(int owner) {
                return isSilent.get() ? new CompletableFuture<>() : super.generations(owner);
            }
        };
        LeaseWatch watch = LeaseWatch.begin(silent, new LeaseWatch.Terms(HOUR, "watched"), () -> {}, time);
        put(watch.owner(), 3);
        isSilent.set(true);

        assertThatThrownBy(() -> watch.end(Duration.ofMillis(1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer for PT0.001S");
        assertThat(blobs(watch.owner())).isEqualTo(3);
        assertThat(register.read().lease(watch.owner())).isPresent();
    }
}
