package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.messaging.Acknowledgement;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.concurrent.CompletableFuture;

/** The pending result of one publish. */
final class Promise extends CompletableFuture<Acknowledgement> {
    private final TopicPartition partition;
    private final long timestamp;

    Promise(TopicPartition partition, long timestamp) {
        this.partition = partition;
        this.timestamp = timestamp;
    }

    void keep() {
        complete(new Acknowledgement(partition, timestamp));
    }
}
