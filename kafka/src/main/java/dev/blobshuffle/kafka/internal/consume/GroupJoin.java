package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the real consumer, and retries while the group rejects it because of members that cannot
 * read notifications. A native instance that has just stopped may remain a member until its session
 * times out, because Kafka Streams does not leave its group. Owned by the consumer's thread.
 */
public final class GroupJoin {
    private static final Logger LOG = LoggerFactory.getLogger(GroupJoin.class);

    /** How long rejections are retried: more than Kafka's default session timeout of 45 s. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Time between two attempts to join. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Consumer<byte[], byte[]> delegate;
    private final String name;
    private final Time time;
    private boolean isRefused;
    private long refusedSince;
    private long nextAttempt;

    GroupJoin(Consumer<byte[], byte[]> delegate, String name, Time time) {
        this.delegate = delegate;
        this.name = name;
        this.time = time;
    }

    /**
     * {@code Consumer.poll}; returns nothing while the group rejects the member.
     *
     * @throws InconsistentGroupProtocolException fatal: the group has had native members for too
     *     long
     */
    ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (isRefused && nextAttempt - time.nanos() > 0) {
            pause(timeout);
            return ConsumerRecords.empty();
        }
        try {
            ConsumerRecords<byte[], byte[]> records = delegate.poll(timeout);
            isRefused = false;
            return records;
        } catch (InconsistentGroupProtocolException e) {
            refused(e);
            return ConsumerRecords.empty();
        }
    }

    private void refused(InconsistentGroupProtocolException cause) {
        long now = time.nanos();
        if (!isRefused) {
            isRefused = true;
            refusedSince = now;
            LOG.warn(
                    "The group of {} refuses it: a member does not read notifications, and this instance writes them."
                            + " It tries again for {} s. If the member is alive, set blobshuffle.write.enabled=false here,"
                            + " or give the member BlobShuffle first.",
                    name,
                    PATIENCE.toSeconds());
        } else if (now - refusedSince > PATIENCE.toNanos()) {
            throw new InconsistentGroupProtocolException(
                    "Cannot join the group of " + name + ": a member has not read notifications for "
                            + PATIENCE.toSeconds()
                            + " s, and this instance writes them. Give every instance BlobShuffle with"
                            + " blobshuffle.write.enabled=false first, then write.",
                    cause);
        }
        nextAttempt = now + PAUSE.toNanos();
    }

    private void pause(Duration timeout) {
        Signal none = time.signal();
        long now = time.nanos();
        try {
            none.await(none.count(), now + Math.min(nextAttempt - now, timeout.toNanos()));
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }
}
