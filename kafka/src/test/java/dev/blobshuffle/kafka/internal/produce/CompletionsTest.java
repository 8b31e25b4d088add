package dev.blobshuffle.kafka.internal.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private static final Partition PARTITION = new Partition("t", 0);

    private final SystemTime time = new SystemTime();
    private final Completions completions = Completions.atAcknowledgement(time);

    @AfterEach
    void close() {
        completions.close();
        time.close();
    }

    private Completion add(Callback callback) {
        Completion completion = new Completion(
                new TopicPartition("t", 0),
                0,
                null,
                null,
                new RecordHeaders(),
                callback,
                new ProducerInterceptorChain<>(List.of()));
        completions.add(PARTITION, completion);
        return completion;
    }

    private Completion add() {
        return add((metadata, failure) -> {});
    }

    private static RecordMetadata metadata() {
        return new RecordMetadata(new TopicPartition("t", 0), 7, 0, 0, -1, -1);
    }

    @Test
    void sendThatComesAfterTheLaneFailedIsNotTakenForOneOfAnOlderSegment() throws Exception {
        Completion lost = add();
        completions.failAll(new KafkaException("lost"));
        Completion late = add();
        completions.take(PARTITION, 1).acknowledgeSegment(metadata(), 0);
        completions.startAgain();
        Completion later = add();
        completions.take(PARTITION, 1).acknowledgeSegment(metadata(), 0);

        assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(later.get(60, TimeUnit.SECONDS).offset()).isEqualTo(VirtualOffset.of(7, VirtualOffset.LAST));
    }

    @Test
    void everySendEndsAlthoughTheProducerIsClosedBeforeItsCallbackHasRun() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        add((metadata, failure) -> {
            entered.countDown();
            awaitQuietly(leave);
        });
        Completion queued = add();
        Completion inFlight = add();
        completions.take(PARTITION, 1).acknowledgeSegment(metadata(), 0);
        entered.await();
        completions.take(PARTITION, 1).acknowledgeSegment(metadata(), 0);
        Completions.Taken unanswered = completions.take(PARTITION, 1);
        completions.close();
        unanswered.fail(new KafkaException("The producer is closed forcefully."));
        leave.countDown();

        assertThat(queued).isCompleted();
        assertThat(inFlight).isCompletedExceptionally();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
