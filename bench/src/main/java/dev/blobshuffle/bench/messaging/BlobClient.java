package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Transaction;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Messaging over a store and a log. */
final class BlobClient implements Client {
    private static final Duration FLUSH = Duration.ofSeconds(60);

    private final Messaging messaging;

    BlobClient(Map<String, String> settings) {
        messaging = Messaging.open(settings);
    }

    @Override
    public Producing producer(String name) {
        return new BlobProducing(messaging, messaging.publisher(name, Serde.bytes(), Serde.bytes()));
    }

    @Override
    public Consuming consumer(String group, String topic) {
        return new BlobConsuming(messaging.subscriber(Subscription.of(group, topic), Serde.bytes(), Serde.bytes()));
    }

    @Override
    public void close() {
        messaging.close();
    }

    /** A publisher, owned by one thread. */
    private static final class BlobProducing implements Producing {
        private final Messaging messaging;
        private final Publisher<byte[], byte[]> publisher;
        private @Nullable Transaction transaction;

        BlobProducing(Messaging messaging, Publisher<byte[], byte[]> publisher) {
            this.messaging = messaging;
            this.publisher = publisher;
        }

        @Override
        public void send(String topic, byte[] key, byte[] value, Consumer<Boolean> done) {
            var ignored = publisher
                    .publish(topic, key, value)
                    .whenComplete((position, failure) -> done.accept(failure == null));
        }

        @Override
        public void begin() {
            transaction = messaging.begin(publisher);
        }

        @Override
        public void commit() {
            try (Transaction open = Objects.requireNonNull(transaction)) {
                open.commit();
            }
        }

        @Override
        public void flush() {
            publisher.flush(FLUSH);
        }

        @Override
        public void close() {
            publisher.close();
        }
    }

    /** A subscriber, owned by one thread. */
    private static final class BlobConsuming implements Consuming {
        private final Subscriber<byte[], byte[]> subscriber;

        BlobConsuming(Subscriber<byte[], byte[]> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void poll(Duration wait, Consumer<ByteBuffer> receiver) {
            for (ReceivedRecord<byte[], byte[]> record : subscriber.poll(wait)) {
                receiver.accept(ByteBuffer.wrap(Objects.requireNonNull(record.value())));
            }
        }

        @Override
        public int owned() {
            return subscriber.assignment().size();
        }

        @Override
        public void commit() {
            subscriber.commit();
        }

        @Override
        public void close() {
            subscriber.close();
        }
    }
}
