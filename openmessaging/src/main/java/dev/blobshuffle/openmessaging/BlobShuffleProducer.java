package dev.blobshuffle.openmessaging;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Publisher;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Publishes to one topic. Thread-safe. */
final class BlobShuffleProducer implements BenchmarkProducer {
    private final Publisher<String, byte[]> publisher;
    private final String topic;
    private final FirstFailure failure;

    BlobShuffleProducer(Publisher<String, byte[]> publisher, String topic, FirstFailure failure) {
        this.publisher = publisher;
        this.topic = topic;
        this.failure = failure;
    }

    /**
     * Publishes a record. Blocks while the write budget is full.
     *
     * @param payload null: a record without a value
     * @return completes when the record is durable and in the log, or fails as the publish did
     * @throws IllegalStateException fatal: a consumer of the driver has failed
     */
    @Override
    public CompletableFuture<Void> sendAsync(Optional<String> key, byte[] payload) {
        failure.check();
        try {
            return publisher
                    .publish(new OutgoingRecord<>(topic, key.orElse(null), payload))
                    .<Void>thenApply(acknowledgement -> null)
                    .toCompletableFuture();
        } catch (BlobShuffleException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        publisher.close();
    }
}
