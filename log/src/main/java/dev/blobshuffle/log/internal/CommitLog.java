package dev.blobshuffle.log.internal;

import dev.blobshuffle.log.internal.group.Groups;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * The commit log of one tenant. Thread-safe.
 *
 * <p>Every stage ends within the log's own timeouts. It fails with {@code LogUnavailable} if the
 * log did not answer, unless a method says otherwise.
 */
public interface CommitLog extends AutoCloseable {
    /** The most batches that one call of {@link #sequence} moves. */
    int MOST_SEQUENCED = 5_000;

    /**
     * The identity of this log, made once when it was created. A copy of a database has the same.
     */
    UUID id();

    /**
     * Opens a writer and fences its predecessor of the same name. Waits for the predecessor's open
     * transaction.
     *
     * @param name names the publisher, unique among those that run at once
     */
    CompletionStage<Writer> open(String name);

    /** The topics. */
    Topics topics();

    /** The consumer groups. */
    Groups groups();

    /** What may be deleted. */
    Retention retention();

    /** Where instances find each other. */
    Instances instances();

    /**
     * Gives the staged batches of a topic their positions, at most {@link #MOST_SEQUENCED} per
     * call. Batches that one commit acknowledged before another began come before those of the
     * other.
     *
     * @return how many batches it moved; empty: another caller is sequencing the topic, so call
     *     again soon
     */
    CompletionStage<OptionalLong> sequence(int topic);

    /**
     * Where some topics end, in one request.
     *
     * @return one state per topic that exists, in any order
     */
    CompletionStage<List<TopicState>> look(Set<Integer> topics);

    /**
     * Reads batches of a topic in order, without holes. Empty at the end of the topic.
     *
     * <p>Fails with {@code PositionTrimmed} if retention has passed the position, with {@code
     * LogWentBack} if the position is beyond the end or the bookmark does not match, and with
     * {@code TopicAbsent}.
     */
    CompletionStage<List<SequencedBatch>> read(ReadRequest request);

    /**
     * Who committed batches, for operators. No row for a batch that is gone, or if the log does not
     * know.
     *
     * @param ids of the batches, as {@link SequencedBatch} has them
     */
    default CompletionStage<List<BatchOrigin>> origins(Set<Long> ids) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Subscribes to hints of new batches. A hint may be lost or spurious, so callers look from time
     * to time too.
     *
     * @param topic called with a topic's number, from a thread of the log; must not block
     */
    Hints hints(IntConsumer topic);

    /** Ends all calls in flight and releases the connections. Idempotent. */
    @Override
    void close();

    /** A subscription to hints. */
    interface Hints extends AutoCloseable {
        /** Whether hints arrive now. If not, callers look more often. */
        boolean areLive();

        /** Ends the subscription. Idempotent. */
        @Override
        void close();
    }
}
