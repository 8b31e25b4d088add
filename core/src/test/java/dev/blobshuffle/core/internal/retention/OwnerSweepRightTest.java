package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.MemoryClaims;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.claim.RegisteredStore;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight.Guard;
import dev.blobshuffle.core.internal.retention.SweepRight.Stage;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The right to each step of a sweep, with a store and clusters in memory. */
class OwnerSweepRightTest {
    private static final Promise NEEDED = new Promise(Duration.ofMinutes(45), Optional.empty());
    private static final Promise A_DAY = new Promise(Duration.ofMinutes(5), Optional.of(Duration.ofDays(1)));

    /** Steps follow each other at once. */
    private static final OwnerTiming AT_ONCE = OwnerTiming.quick(Duration.ZERO);

    private static final OwnerTiming OFTEN =
            new OwnerTiming(Duration.ofSeconds(2), Duration.ofSeconds(6), Duration.ZERO);

    private final SystemTime time = new SystemTime();
    private final MemoryClaims cluster = new MemoryClaims("cluster");
    private BlobStore store;
    private StoreCell cell;

    @BeforeEach
    void open() {
        store = new RegisteredStore();
        cell = new StoreCell(store.registers().orElseThrow(), OwnerText.REGISTER);
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private OwnerSweepRight right(OwnerSource source) {
        return used(OwnerSweepRight.own(source, AT_ONCE, time));
    }

    private OwnerSweepRight used(OwnerSweepRight right) {
        right.use(store);
        return right;
    }

    private BlobStore running(OwnerSource source) {
        BlobStore watched = OwnerWatch.watched(new LentBlobStore(store), source, OFTEN, time);
        int ignored = watched.owner().toCompletableFuture().join();
        return watched;
    }

    private OwnerText register() {
        return new OwnerRegister(store, time).read();
    }

    private void awaitContest() {
        await("a contest")
                .atMost(Duration.ofMinutes(2))
                .until(() -> !register().contests().isEmpty());
    }

    private static void goes(OwnerSweepRight right, Stage stage) throws InterruptedException {
        assertThat(right.next().stage()).isEqualTo(stage);
    }

    /** Lists, and sets tombstones. */
    private static void decide(OwnerSweepRight right) throws InterruptedException {
        goes(right, Stage.LIST);
        Duration ignored = right.listed();
        goes(right, Stage.DECIDE);
        ignored = right.decided();
    }

    @Test
    void aClusterAloneTakesTheThreeSteps() throws Exception {
        OwnerSweepRight right = right(cluster.member("claims", NEEDED));
        decide(right);
        goes(right, Stage.DELETE);
        right.requireOwn();
        Duration ignored = right.over();
        goes(right, Stage.LIST);
    }

    /** In the original, only application A runs. The copy sweeps for application B. */
    @Test
    void aCopyIsContestedByAnyApplicationOfTheOriginal() throws Exception {
        OwnerSweepRight ofB = right(cluster.member("b-claims", NEEDED));
        decide(ofB);
        try (BlobStore a = running(cluster.member("a-claims", NEEDED))) {
            MemoryClaims copy = cluster.copy();
            OwnerSweepRight right = right(copy.member("b-claims", NEEDED));
            goes(right, Stage.LIST);
            Duration ignored = right.listed();
            awaitContest();
            SweepRight.Leave leave = right.next();
            assertThat(leave.stage()).isEqualTo(Stage.START_OVER);
            assertThat(leave.reason().orElseThrow())
                    .contains("a copy of the cluster uses the store", "seen by a-claims");
            assertThat(a.location()).isNotBlank();
        }
    }

    @Test
    void aContestAfterTheThirdStepStopsTheNextRequest() throws Exception {
        OwnerSweepRight right = right(cluster.member("claims", NEEDED));
        decide(right);
        goes(right, Stage.DELETE);
        new OwnerClaimant(cluster.copy().member("claims", NEEDED).seat(0), OwnerTiming.USUAL, time)
                .raise(cell); // A copy raises; it does not contest yet.
        assertThatThrownBy(right::requireOwn).isInstanceOf(InvalidSettingsException.class);
    }

    /** The cluster that continues settles the contest. The doubt that remains must age first. */
    @Test
    void anOperatorEndsAContest() throws Exception {
        OwnerSource source = cluster.member("claims", NEEDED);
        OwnerSweepRight right = right(source);
        goes(right, Stage.LIST);
        new OwnerRegister(store, time).hold("held by an operator", Set.of());
        assertThat(right.next().reason().orElseThrow()).contains("held by an operator");
        new OwnerClaimant(source.seat(0), OwnerTiming.USUAL, time).settle(cell);
        goes(right, Stage.START_OVER);
        decide(right);
    }

    @Test
    void whoeverIsInDoubtStopsTheSweepsOfItsCluster() throws Exception {
        OwnerSweepRight right = right(cluster.member("claims", NEEDED));
        decide(right);
        cluster.refuse("claims", "may not use Kafka topic claims; grant its principal Read");
        try (BlobStore other =
                OwnerWatch.watched(new LentBlobStore(store), cluster.member("other-claims", NEEDED), OFTEN, time)) {
            int ignored = other.owner().toCompletableFuture().join();
            await("a doubt")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> register().doubt("cluster").isPresent());
        }
        cluster.allow("claims");
        SweepRight.Leave leave = right.next();
        assertThat(leave.stage()).isEqualTo(Stage.START_OVER);
        assertThat(leave.reason().orElseThrow()).contains("an instance is in doubt", "grant its principal Read");
        decide(right); // No instance renews the doubt.
    }

    /** "shop-eu" retains by need, and "shop" by time: the register holds what both promise. */
    @Test
    void whatOneMemberNeedsIsNotDeletedByAge() throws Exception {
        OwnerSweepRight byAge = right(cluster.member("claims", A_DAY));
        SweepRight.Leave alone = byAge.next();
        assertThat(alone.timeToLive()).contains(Duration.ofDays(1));
        Duration ignored = byAge.listed();
        try (BlobStore member = running(cluster.member("claims", NEEDED))) {
            assertThat(register().owners().get(alone.owner()).promise()).isEqualTo(NEEDED);
            assertThat(member.location()).isNotBlank();
        }
        goes(byAge, Stage.START_OVER); // More is promised than at the listing.
        assertThat(byAge.next().timeToLive()).isEmpty();
    }

    /** The register's promise decides, not the sweeper's own settings. */
    @Test
    void stepsAreAsFarApartAsTheWritersPromise() throws Exception {
        try (BlobStore member = running(cluster.member("claims", NEEDED))) {
            assertThat(member.location()).isNotBlank();
        }
        OwnerSweepRight right = used(OwnerSweepRight.own(cluster.member("claims", A_DAY), OwnerTiming.USUAL, time));
        goes(right, Stage.LIST);
        assertThat(right.listed()).isEqualTo(Duration.ofMinutes(60));
        goes(right, Stage.WAIT);
    }

    /** The store was restored from a backup. */
    @Test
    void aRegisterThatWentBackLetsTheSweepBeginAgain() throws Exception {
        OwnerSweepRight right = right(cluster.member("claims", NEEDED));
        goes(right, Stage.LIST);
        Register backup = cell.read().orElseThrow();
        Duration ignored = right.listed();
        goes(right, Stage.DECIDE);
        ignored = right.decided();
        goes(right, Stage.DELETE);
        assertThat(cell.replace(cell.read(), backup.text())).isTrue();
        assertThatThrownBy(right::requireOwn).isInstanceOf(InvalidSettingsException.class);
        goes(right, Stage.START_OVER);
    }

    @Test
    void anOwnerOfAnotherClusterIsForgottenOnlyWithoutASignOfLife() throws Exception {
        MemoryClaims other = new MemoryClaims("other");
        OwnerSource theirs = other.member("claims", NEEDED);
        goes(right(theirs), Stage.LIST);
        int owner = register().owners().keySet().iterator().next();
        OwnerSource ours = cluster.member("claims", NEEDED);
        OwnerSweepRight right = used(OwnerSweepRight.forgetting(owner, ours, Guard.NONE, AT_ONCE, time));
        assertThat(right.next().owner()).isEqualTo(owner);
        Duration ignored = right.listed();
        goes(right(theirs), Stage.LIST); // It raises, so it is live.
        goes(right, Stage.START_OVER);
        decide(right);
        goes(right, Stage.DELETE);
        right.requireOwn();
        right.forget();
        assertThat(register().owners()).doesNotContainKey(owner);
        assertThat(register().raises()).doesNotContainKey("other");
    }
}
