package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.internal.metrics.Answers;
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
 * <p>Every stage ends within the log's own timeouts. It fails with {@code LogUnavailableException}
 * if the log did not answer, unless a method says otherwise.
 */
public interface CommitLog extends AutoCloseable {
    /** The most batches that one call of {@link #sequence} moves. */
    int MOST_SEQUENCED = 5_000;

    /**
     * The identity of this log, assigned when it was created. A copy of the database has the same
     * identity.
     */
    UUID id();

    /**
     * Opens a writer and fences its predecessor of the same name. Waits for the predecessor's open
     * transaction.
     *
     * @param name names the publisher, unique among those that run at the same time
     */
    CompletionStage<Writer> open(String name);

    /** The topics. */
    Topics topics();

    /** The consumer groups. */
    Groups groups();

    /** Deletes batches and blobs that are no longer needed. */
    Retention retention();

    /** The directory in which instances find each other. */
    Instances instances();

    /**
     * Gives the staged batches of a topic their positions, at most {@link #MOST_SEQUENCED} per
     * call. If a commit was acknowledged before another one began, its batches come first.
     *
     * @return how many batches it moved; empty: another caller is sequencing the topic, so call
     *     again soon
     */
    CompletionStage<OptionalLong> sequence(int topic);

    /**
     * The start and end of some topics, in one request.
     *
     * @return one state per topic that exists, in any order
     */
    CompletionStage<List<TopicState>> look(Set<Integer> topics);

    /**
     * Reads batches of a topic in order, without holes. Empty at the end of the topic.
     *
     * <p>Fails with {@code PositionTrimmedException} if retention has passed the position, with
     * {@code LogWentBackException} if the position is beyond the end or the bookmark does not
     * match, and with {@code TopicAbsentException}.
     */
    CompletionStage<List<SequencedBatch>> read(ReadRequest request);

    /**
     * The origins of batches, for operators. A batch that is gone, or whose origin the log does not
     * know, is left out.
     *
     * @param ids of the batches, as in {@link SequencedBatch}
     */
    default CompletionStage<List<BatchOrigin>> origins(Set<Long> ids) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Subscribes to hints of new batches. A hint may be lost or spurious, so callers also query the
     * log periodically.
     *
     * @param topic called with a topic's number, from a thread of the log; must not block
     */
    Hints hints(IntConsumer topic);

    /** Whether the log answers, from the results of its calls. */
    Answers answers();

    /** Ends all calls in flight and releases the connections. Idempotent. */
    @Override
    void close();

    /** A subscription to hints. */
    interface Hints extends AutoCloseable {
        /** Whether hints currently arrive. If not, callers query more often. */
        boolean areLive();

        /** Ends the subscription. Idempotent. */
        @Override
        void close();
    }
}
