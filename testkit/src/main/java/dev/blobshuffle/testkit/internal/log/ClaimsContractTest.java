package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogClaims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of {@link LogClaims}: one subclass per log. */
public abstract class ClaimsContractTest extends LogContract {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration GRACE = Duration.ofMinutes(10);
    private static final String FIRST = "1".repeat(32);
    private static final String SECOND = "2".repeat(32);
    private static final String THIRD = "3".repeat(32);

    @Test
    void everyClientKnowsTheClaims() {
        LogClaims claims = connect().retention().claims();
        assertThat(join(claims.known())).isEmpty();
        done(claims.remember(FIRST, 1));
        done(claims.remember(SECOND, 2));
        done(claims.remember(FIRST, 1));
        assertThat(join(connect().retention().claims().known())).containsExactlyInAnyOrder(FIRST, SECOND);
    }

    @Test
    void oldClaimsAreForgottenUnlessARegisterHoldsThem() {
        LogClaims claims = connect().retention().claims();
        done(claims.remember(FIRST, 1));
        done(claims.remember(SECOND, 2));
        done(claims.remember(THIRD, 3));
        done(claims.forget(3, Set.of(FIRST)));
        assertThat(join(claims.known())).containsExactlyInAnyOrder(FIRST, THIRD);
        done(claims.forget(3, Set.of()));
        assertThat(join(claims.known())).containsExactly(THIRD);
    }

    @Test
    void onlyAClaimMadeAfterTheTombstoneMayDelete() {
        CommitLog log = connect();
        LogClaims claims = log.retention().claims();
        done(claims.remember(FIRST, 1));
        BlobId dead = buried(log, 1).get(0);
        done(claims.remember(SECOND, 2));
        assertThat(join(claims.due(SECOND, 10))).as("during the grace").isEmpty();
        tested().shiftClock(GRACE.plusSeconds(1));
        assertThat(join(claims.due(FIRST, 10))).as("by an earlier claim").isEmpty();
        assertThat(join(claims.due(THIRD, 10))).as("by a claim of another copy").isEmpty();
        assertThat(join(claims.due(SECOND, 10))).containsExactly(dead);
        done(claims.forget(3, Set.of()));
        assertThat(join(claims.due(SECOND, 10))).as("by a forgotten claim").isEmpty();
    }

    /** A claim that is remembered twice stays as old as it was. */
    @Test
    void aClaimDoesNotGrowYounger() {
        CommitLog log = connect();
        LogClaims claims = log.retention().claims();
        done(claims.remember(FIRST, 1));
        BlobId dead = buried(log, 1).get(0);
        done(claims.remember(FIRST, 1));
        tested().shiftClock(GRACE.plusSeconds(1));
        assertThat(join(claims.due(FIRST, 10))).isEmpty();
        assertThat(join(log.retention().due(10))).containsExactly(dead);
    }

    @Test
    void theDueAreGivenUpToALimit() {
        CommitLog log = connect();
        List<BlobId> dead = buried(log, 3);
        LogClaims claims = log.retention().claims();
        done(claims.remember(FIRST, 1));
        tested().shiftClock(GRACE.plusSeconds(1));
        assertThat(join(claims.due(FIRST, 2))).hasSize(2);
        assertThat(join(claims.due(FIRST, 3))).containsExactlyInAnyOrderElementsOf(dead);
    }

    private List<BlobId> buried(CommitLog log, int count) {
        long minute = minute(log);
        List<BlobId> blobs = new ArrayList<>(
                IntStream.range(0, count).mapToObj(i -> blob(minute)).toList());
        tested().shiftClock(HOUR);
        assertThat(join(log.retention().bury(minute, blobs, GRACE))).hasValue(count);
        return blobs;
    }

    private static void done(CompletionStage<Void> stage) {
        boolean isDone = join(stage.thenApply(any -> true));
        assertThat(isDone).isTrue();
    }
}
