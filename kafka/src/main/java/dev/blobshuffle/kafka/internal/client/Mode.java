package dev.blobshuffle.kafka.internal.client;

/**
 * The kind of application that uses the clients. It governs how early a send may be acknowledged
 * without weakening the application's guarantees.
 */
public enum Mode {
    /**
     * Any application: a send is acknowledged when its notification is, and {@code flush} makes all
     * sends durable. Thread-safe, as Kafka's producer is.
     */
    GENERAL,

    /**
     * Kafka Streams under at-least-once: a send is acknowledged when its record is appended,
     * because the commit is the acknowledgement that counts. Each {@code flush} drains, because
     * Kafka Streams skips the commit if there are no offsets.
     */
    KAFKA_STREAMS_ALO,

    /**
     * Kafka Streams under exactly-once: a send is acknowledged when its record is appended. The
     * batch is drained once per commit ({@code sendOffsetsToTransaction},
     * {@code commitTransaction}), not once per task.
     */
    KAFKA_STREAMS_EOS
}
