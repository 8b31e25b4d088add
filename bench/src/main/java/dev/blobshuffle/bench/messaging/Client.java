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
         * @param done gets whether it is durable; any thread may call it
         */
        void send(String topic, byte[] key, byte[] value, Consumer<Boolean> done);

        /** Begins a transaction, where there are some. */
        void begin();

        /** Commits the transaction. */
        void commit();

        /** Waits until all that was sent is durable. */
        void flush();

        @Override
        void close();
    }

    /** A consumer, owned by one thread. */
    interface Consuming extends AutoCloseable {
        /** Waits for records and hands out their values. */
        void poll(Duration wait, Consumer<ByteBuffer> receiver);

        /** Partitions that it has. */
        int owned();

        /** Commits the positions after the last poll, unless that happens by itself. */
        void commit();

        @Override
        void close();
    }
}
