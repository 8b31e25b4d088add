package dev.blobshuffle.bench.messaging;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;

/** One system as the processes of a zone use it. Thread-safe. */
interface Client extends AutoCloseable {
    /** Opens a producer. */
    Producing producer(String name);

    /** Opens a consumer of a topic. */
    Consuming consumer(String group, String topic);

    @Override
    void close();

    /** A producer, owned by one thread. */
    interface Producing extends AutoCloseable {
        /**
         * Sends a record.
         *
         * @param done receives whether the record is durable; called by any thread
         */
        void send(String topic, byte[] key, byte[] value, Consumer<Boolean> done);

        /** Begins a transaction, if the system uses them. */
        void begin();

        /** Commits the transaction. */
        void commit();

        /** Waits until all sent records are durable. */
        void flush();

        @Override
        void close();
    }

    /** A consumer, owned by one thread. */
    interface Consuming extends AutoCloseable {
        /** Waits for records and passes their values to the receiver. */
        void poll(Duration wait, Consumer<ByteBuffer> receiver);

        /** Number of partitions that it owns. */
        int owned();

        /** Commits the positions after the last poll, unless the client does so automatically. */
        void commit();

        @Override
        void close();
    }
}
