package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Publisher;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Publishes dead letters to a topic. The first record opens the publisher. */
public final class PublishedDeadLetters implements DeadLetters {
    private static final Duration LONGEST_FLUSH = Duration.ofMinutes(2);

    private final String topic;
    private final Supplier<Publisher<byte[], byte[]>> opening;
    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private @Nullable Publisher<byte[], byte[]> publisher;
    private boolean isSent;

    /**
     * Dead letters to a topic.
     *
     * @param opening opens a publisher with a unique name
     */
    public PublishedDeadLetters(String topic, Supplier<Publisher<byte[], byte[]>> opening) {
        this.topic = topic;
        this.opening = opening;
    }

    @Override
    public void send(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
        Publisher<byte[], byte[]> open = publisher;
        if (open == null) {
            open = opening.get();
            publisher = open;
        }
        isSent = true;
        var ignored = open.publish(new OutgoingRecord<>(
                        topic, OptionalInt.empty(), OptionalLong.of(timestamp), key, value, headers))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        lost.compareAndSet(null, failure);
                    }
                });
    }

    @Override
    public void flush() {
        Publisher<byte[], byte[]> open = publisher;
        if (open == null || !isSent) {
            return;
        }
        open.flush(LONGEST_FLUSH);
        Throwable failure = lost.get();
        if (failure instanceof BlobShuffleException known) {
            throw known;
        }
        if (failure != null) {
            throw new IllegalStateException(
                    "Cannot commit: a dead letter was lost. Close the subscriber and open it again.", failure);
        }
        isSent = false;
    }

    @Override
    public void close() {
        Publisher<byte[], byte[]> open = publisher;
        publisher = null;
        if (open != null) {
            open.close();
        }
    }
}
