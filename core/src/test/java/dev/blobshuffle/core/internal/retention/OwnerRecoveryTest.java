package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.claim.MemoryClaims;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.RegisteredStore;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Recovery after a cluster was copied, or after Kafka or the store was restored to an older state.
 */
class OwnerRecoveryTest {
    private static final Promise SHORT = new Promise(Duration.ofMinutes(5), Optional.empty());
    private static final Promise LONG = new Promise(Duration.ofHours(2), Optional.empty());

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

    private OwnerClaimant claimant(MemoryClaims claims, Promise promise) throws InterruptedException {
        return new OwnerClaimant(claims.member("claims", promise).seat(0), OwnerTiming.USUAL, time);
    }

    private OwnerText register() {
        return new OwnerRegister(store, time).read();
    }

    /** Both clusters continue to write, because the operator forgot to stop the copy. */
    @Test
    void aCopyThatStillRunsContestsAgainAtItsNextCheck() throws Exception {
        OwnerClaimant original = claimant(cluster, SHORT);
        assertThat(original.raise(cell)).isEqualTo(Verdict.OWN);
        OwnerClaimant ofCopy = claimant(cluster.copy(), SHORT);
        assertThat(original.raise(cell)).isEqualTo(Verdict.OWN);
        assertThat(ofCopy.check(cell)).isEqualTo(Verdict.CONTESTED);
        assertThat(original.check(cell)).isEqualTo(Verdict.CONTESTED);
        assertThat(ofCopy.mayStore()).isTrue();
        assertThat(original.mayStore()).isTrue();

        original.settle(cell);
        assertThat(register().contests()).isEmpty();
        assertThat(original.check(cell)).isEqualTo(Verdict.OWN);

        assertThat(ofCopy.check(cell)).isEqualTo(Verdict.CONTESTED);
        assertThat(register().contests()).isNotEmpty();
    }

    @Test
    void aClusterThatWentBackContestsUntilAnOperatorSettlesIt() throws Exception {
        OwnerClaimant before = claimant(cluster, SHORT);
        assertThat(before.raise(cell)).isEqualTo(Verdict.OWN);
        MemoryClaims backup = cluster.copy();
        assertThat(before.raise(cell)).isEqualTo(Verdict.OWN);

        OwnerClaimant restored = claimant(backup, SHORT);
        assertThat(restored.check(cell)).isEqualTo(Verdict.CONTESTED);
        assertThat(restored.raise(cell)).isEqualTo(Verdict.CONTESTED);
        restored.settle(cell);
        assertThat(restored.raise(cell)).isEqualTo(Verdict.OWN);
        assertThat(register().contests()).isEmpty();
    }

    /** No operator needs to act. */
    @Test
    void anInstanceThatFindsAnOlderRegisterDoubtsOnceAndPromisesAgain() throws Exception {
        OwnerClaimant one = claimant(cluster, SHORT);
        assertThat(one.raise(cell)).isEqualTo(Verdict.OWN);
        Register backup = cell.read().orElseThrow();
        OwnerClaimant other = claimant(cluster, LONG);
        assertThat(other.raise(cell)).isEqualTo(Verdict.OWN);
        assertThat(promise()).isEqualTo(LONG);
        assertThat(cell.replace(cell.read(), backup.text())).isTrue();
        assertThat(promise()).isEqualTo(SHORT);

        Verdict ignored = other.check(cell);

        assertThat(promise()).isEqualTo(LONG);
        assertThat(register().contests()).isEmpty();
        assertThat(register().doubts()).hasSize(1);
        String token = register().doubts().toString();
        ignored = other.check(cell);
        assertThat(register().doubts()).asString().as("a doubt that ages").isEqualTo(token);
    }

    private Promise promise() {
        return register().owners().values().iterator().next().promise();
    }
}
