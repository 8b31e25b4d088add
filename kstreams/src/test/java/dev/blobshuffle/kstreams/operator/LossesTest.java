package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The exceptions of an operator: the type determines whether the thread survives. */
class LossesTest {
    private final Map<String, Integer> counts = new HashMap<>();
    private final ThreadLanes thread = new ThreadLanes(BatchScope.INSTANCE);

    static Stream<BlobShuffleException> mending() {
        return Stream.of(
                new StoreUnavailableException("x"),
                new DeadlineExceededException("x"),
                new DeliveryFailedException("x"),
                new WaitInterruptedException("x", null),
                new MemoryExhaustedException("x"));
    }

    static Stream<BlobShuffleException> lasting() {
        return Stream.of(
                new BlobMissingException("x"),
                new BlobCorruptException("x"),
                new InvalidSettingsException("x"),
                new ClosedException("x"));
    }

    @ParameterizedTest
    @MethodSource("mending")
    void whatMayMendItselfRollsTheTasksBack(BlobShuffleException failure) {
        assertThat(losses().keep(failure))
                .isInstanceOf(TaskMigratedException.class)
                .hasCause(failure);
    }

    @ParameterizedTest
    @MethodSource("lasting")
    void whatDoesNotMendItselfEndsTheThread(BlobShuffleException failure) {
        assertThat(losses().keep(failure))
                .isInstanceOf(StreamsException.class)
                .isNotInstanceOf(TaskMigratedException.class)
                .hasCause(failure);
    }

    @Test
    void firstFailureSticks() {
        Losses losses = losses();
        losses.check();
        RuntimeException first = losses.keep(new IllegalStateException("first"));

        assertThat(losses.keep(new StoreUnavailableException("second"))).isSameAs(first);
        assertThatThrownBy(losses::check).isSameAs(first);
        assertThatThrownBy(losses::check).isSameAs(first);
    }

    /**
     * All tasks of the thread will be closed, so it would be a waste to wait for each one's
     * uploads.
     */
    @Test
    void otherOperatorsOfTheThreadLeaveAtOnceUntilTasksAreOpenedAnew() {
        Losses other = new Losses("clicks-batcher, task 0_2", Losses.Patience.LIMITED, counts, thread);
        RuntimeException failure = losses().keep(new StoreUnavailableException("x"));

        assertThatThrownBy(other::check).isSameAs(failure);
        thread.restart();
        other.check();
    }

    /**
     * Kafka Streams handles an exception of user code after an operator; it may continue with the
     * other tasks.
     */
    @Test
    void failureOfOthersStaysInItsTask() {
        losses().keep(new IllegalStateException("user code"));

        losses().check();
    }

    @Test
    void tooManyInARowEndTheThread() {
        for (int i = 0; i < Losses.MOST_IN_A_ROW; i++) {
            assertThat(losses().keep(new StoreUnavailableException("x"))).isInstanceOf(TaskMigratedException.class);
        }

        assertThat(losses().keep(new StoreUnavailableException("x")))
                .isNotInstanceOf(TaskMigratedException.class)
                .hasMessageContaining("More than 10 attempts in a row failed");
    }

    @Test
    void readsAreTriedAgainWithoutEnd() {
        for (int i = 0; i < 5 * Losses.MOST_IN_A_ROW; i++) {
            Losses losses = new Losses("by-user-debatcher, task 1_0", Losses.Patience.ENDLESS, counts, thread);
            assertThat(losses.keep(new DeadlineExceededException("x"))).isInstanceOf(TaskMigratedException.class);
        }
    }

    @Test
    void aCommitThatWorksBeginsTheRowAnew() {
        for (int i = 0; i < Losses.MOST_IN_A_ROW; i++) {
            assertThat(losses().keep(new StoreUnavailableException("x"))).isInstanceOf(TaskMigratedException.class);
        }
        losses().recovered();

        assertThat(counts).isEmpty();
        assertThat(losses().keep(new StoreUnavailableException("x"))).isInstanceOf(TaskMigratedException.class);
    }

    /** After a rollback the task has a new object, but the count continues. */
    private Losses losses() {
        return new Losses("by-user-batcher, task 0_1", Losses.Patience.LIMITED, counts, thread);
    }
}
