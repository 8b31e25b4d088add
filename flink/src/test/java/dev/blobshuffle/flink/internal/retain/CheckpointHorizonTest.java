package dev.blobshuffle.flink.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.flink.internal.retain.CheckpointHorizon.Subtask;
import java.time.Instant;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointHorizonTest {
    private static final OperatorID DEBATCHER = new OperatorID(1, 1);
    private static final OperatorID BATCHER = new OperatorID(2, 2);

    private int retained = 1;
    private final Set<Subtask> ended = new HashSet<>();
    private final CheckpointHorizon horizon = new CheckpointHorizon(() -> retained);

    @BeforeEach
    void expectTwoSubtasks() {
        horizon.expect(DEBATCHER, () -> 2);
    }

    @Test
    void nothingMayGoBeforeACheckpointIsComplete() {
        report(1, 1000, 1000);
        assertThat(limit()).isEmpty();

        completed(1);

        assertThat(limit()).hasValue(1000 - 15);
    }

    @Test
    void theOldestNeedOfTheSubtasksCounts() {
        complete(1, 1000, 900);

        assertThat(limit()).hasValue(900 - 15);
    }

    @Test
    void everyRetainedCheckpointCounts() {
        retained = 3;
        complete(1, 1000, 1000);
        complete(2, 1010, 1010);
        assertThat(limit()).as("as many as are retained").isEmpty();
        complete(3, 1020, 1020);
        assertThat(limit()).hasValue(1000 - 15);

        complete(4, 1030, 1030);

        assertThat(limit()).hasValue(1010 - 15);
    }

    @Test
    void aCheckpointThatIsGivenUpCountsForNothing() {
        complete(1, 1000, 1000);
        report(2, 2000, 2000);
        horizon.aborted(2);

        completed(2);

        assertThat(limit()).hasValue(1000 - 15);
    }

    /** Savepoints report nothing. Of a checkpoint, a report may be lost. */
    @Test
    void aCheckpointWithoutAllReportsIsLeftOut() {
        complete(1, 1000, 1000);
        horizon.needs(DEBATCHER, 0, new CheckpointNeed(2, 2000));

        completed(2);
        assertThat(limit()).hasValue(1000 - 15);
        complete(3, 3000, 3000);

        assertThat(limit()).hasValue(3000 - 15);
    }

    @Test
    void theNeedsOfBothOperatorsCount() {
        horizon.expect(BATCHER, () -> 1);
        complete(1, 1000, 1000);
        assertThat(limit()).as("one report is missing").isEmpty();
        report(2, 1010, 1010);
        horizon.needs(BATCHER, 0, new CheckpointNeed(2, 990));

        completed(2);

        assertThat(limit()).hasValue(990 - 15);
    }

    /** It has handed on all that it received. */
    @Test
    void aSubtaskThatHasEndedNeedsNothing() {
        horizon.expect(BATCHER, () -> 2);
        ended.add(new Subtask(BATCHER, 1));
        report(1, 1000, 1000);
        completed(1);
        assertThat(limit()).as("a report is missing").isEmpty();

        ended.add(new Subtask(DEBATCHER, 0));
        horizon.needs(BATCHER, 0, new CheckpointNeed(2, 1015));
        horizon.needs(DEBATCHER, 1, new CheckpointNeed(2, 1020));
        completed(2);

        assertThat(limit()).hasValue(1015 - 15);
    }

    /** The shuffles of a job share its blobs: one that has ended must not keep those of others. */
    @Test
    void aShuffleThatHasEndedNeedsNothing() {
        retained = 2;
        complete(1, 1000, 1000);
        ended.add(new Subtask(DEBATCHER, 0));
        ended.add(new Subtask(DEBATCHER, 1));
        completed(2);
        assertThat(limit()).as("the first checkpoint is retained").hasValue(1000 - 15);

        completed(3);

        assertThat(limit().orElseThrow()).isGreaterThan(1_000_000);
    }

    /** Its references in flight may be of any age. */
    @Test
    void anUnalignedCheckpointNeedsEverything() {
        complete(1, 1000, 1000);
        complete(2, 2000, CheckpointNeed.EVERYTHING);
        assertThat(limit()).hasValue(0);

        complete(3, 3000, 3000);

        assertThat(limit()).hasValue(3000 - 15);
    }

    @Test
    void reportsOfAFailedAttemptAreVoid() {
        complete(1, 1000, 1000);
        report(2, 2000, 2000);
        horizon.reset();
        horizon.needs(DEBATCHER, 0, new CheckpointNeed(2, 1001));

        completed(2);

        assertThat(limit()).hasValue(1000 - 15);
    }

    private void complete(long checkpoint, long... needs) {
        report(checkpoint, needs);
        completed(checkpoint);
    }

    private void completed(long checkpoint) {
        horizon.completed(checkpoint, ended::contains);
    }

    private void report(long checkpoint, long... needs) {
        for (int subtask = 0; subtask < needs.length; subtask++) {
            horizon.needs(DEBATCHER, subtask, new CheckpointNeed(checkpoint, needs[subtask]));
        }
    }

    private OptionalLong limit() {
        return horizon.at(Instant.EPOCH)
                .map(Horizon.Limit::generation)
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }
}
