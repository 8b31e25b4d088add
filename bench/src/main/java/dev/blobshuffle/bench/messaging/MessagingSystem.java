package dev.blobshuffle.bench.messaging;

import java.util.Locale;

/** The systems that are compared. */
public enum MessagingSystem {
    /** Messaging over PostgreSQL with a synchronous standby and a store of files. */
    BLOBSHUFFLE,
    /** The same, with a transaction of each publisher every 100 ms. */
    BLOBSHUFFLE_TRANSACTIONS,
    /** Kafka at replication 3, with the default settings of its clients. */
    KAFKA,
    /** The same with clients set for throughput. */
    KAFKA_TUNED,
    /** Kafka tuned, with a transaction of each producer every 100 ms. */
    KAFKA_TRANSACTIONS;

    boolean isKafka() {
        return this == KAFKA || this == KAFKA_TUNED || this == KAFKA_TRANSACTIONS;
    }

    boolean isTransactional() {
        return this == BLOBSHUFFLE_TRANSACTIONS || this == KAFKA_TRANSACTIONS;
    }

    /** The name in reports. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
