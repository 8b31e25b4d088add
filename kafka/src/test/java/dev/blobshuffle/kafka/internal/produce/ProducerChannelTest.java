package dev.blobshuffle.kafka.internal.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A real producer that throws unexpected exceptions: every send still gets an outcome. */
class ProducerChannelTest {
    private static final Partition PARTITION = new Partition("t", 0);

    private final SystemTime time = new SystemTime();
    private final Completions completions = Completions.atAcknowledgement(time);
    private final MockProducer<byte[], byte[]> real =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final ProducerChannel channel = new ProducerChannel(real, completions, Duration.ofMinutes(2), () -> {});
    private final List<Throwable> failures = new ArrayList<>();
    private final Channel.Delivery delivery = new Channel.Delivery() {
        @Override
        public void delivered() {
            throw new AssertionError("delivered");
        }

        @Override
        public void failed(Throwable cause) {
            failures.add(cause);
        }
    };

    @AfterEach
    void close() {
        completions.close();
        time.close();
    }

    private Completion add() {
        Completion completion = new Completion(
                new TopicPartition("t", 0),
                0,
                null,
                null,
                new RecordHeaders(),
                null,
                new ProducerInterceptorChain<>(List.of()));
        completions.add(PARTITION, completion);
        return completion;
    }

    private void sendNotification() {
        Notification notification = new Notification(new BlobId(1, 2, 3), 0, 0, 64, 0, 64, 1, Codec.NONE, 7);
        channel.send(PARTITION, notification, 0, 0, delivery);
    }

    /** With a store of two speeds the broker has the notification before the blob is durable. */
    @Test
    void aSendIsAnsweredWhenItsBlobIsDurable() throws Exception {
        List<Runnable> durable = new ArrayList<>();
        Channel.Delivery early = new Channel.Delivery() {
            @Override
            public void delivered() {}

            @Override
            public void failed(Throwable cause) {
                failures.add(cause);
            }

            @Override
            public void whenDurable(Runnable answer, Consumer<RuntimeException> lost) {
                durable.add(answer);
            }
        };
        Completion completion = add();
        Notification notification = new Notification(new BlobId(1, 2, 3), 0, 0, 64, 0, 64, 1, Codec.NONE, 7);
        channel.send(PARTITION, notification, 0, 0, early);
        assertThat(completions.awaitCallbacks(time.nanos() + TimeUnit.SECONDS.toNanos(10)))
                .isTrue();
        assertThat(completion.isDone()).isFalse();

        durable.forEach(Runnable::run);

        assertThat(completion.get(10, TimeUnit.SECONDS).topic()).isEqualTo("t");
    }

    @Test
    void whateverTheRealProducerThrowsFailsTheSegmentAndItsSends() throws Exception {
        Completion send = add();
        real.sendException = new IllegalArgumentException("of its own");
        sendNotification();

        assertThat(failures).containsExactly(real.sendException);
        assertThatThrownBy(() -> send.get(30, TimeUnit.SECONDS)).hasCause(real.sendException);
        completions.awaitCallbacks(time.nanos() + Duration.ofSeconds(30).toNanos());
    }
}
