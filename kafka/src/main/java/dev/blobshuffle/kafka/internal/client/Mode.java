package dev.blobshuffle.kafka.internal.client;

/**
 * Who drives the clients: how lazily they may acknowledge without weakening what the driver
 * promises.
 */
public enum Mode {
    /**
     * Any application: a send is acknowledged when its notification is, and {@code flush} makes
     * everything durable. Thread-safe, as Kafka's producer is.
     */
    GENERAL,

    /**
     * Kafka Streams under at-least-once: sends are acknowledged when appended, since the commit is
     * the acknowledgement that counts. Each {@code flush} drains, because Kafka Streams skips the
     * commit of offsets when there are none.
     */
    KAFKA_STREAMS_ALO,

    /**
     * Kafka Streams under exactly-once: sends are acknowledged when appended, and the batch is
     * drained once per commit ({@code sendOffsetsToTransaction}, {@code commitTransaction}) instead
     * of once per task.
     */
    KAFKA_STREAMS_EOS
}
