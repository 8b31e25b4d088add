package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import dev.blobshuffle.kafka.internal.produce.Partitioning;
import dev.blobshuffle.kafka.internal.produce.ProducerInterceptorChain;
import dev.blobshuffle.kafka.internal.produce.ProducerParts;
import dev.blobshuffle.kafka.internal.produce.RecordSerializer;
import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Flushes and commits that wait for a slow store while their thread is interrupted, or while
 * another thread sends.
 */
class FlushTest {
    private static final Node NODE = new Node(0, "localhost", 1);
    private static final PartitionInfo PARTITION =
            new PartitionInfo("blob-t", 0, NODE, new Node[] {NODE}, new Node[] {NODE});

    private final SystemTime time = new SystemTime();
    private final SlowStore store = new SlowStore();
    private final Engine engine = ShuffleEngine.builder(store, time)
            .batching(BatcherOptions.builder().delay(Duration.ofMinutes(5)).build())
            .build();
    private final MockProducer<byte[], byte[]> real = new MockProducer<>(
            new Cluster("c", List.of(NODE), List.of(PARTITION), Set.of(), Set.of()),
            true,
            null,
            new ByteArraySerializer(),
            new ByteArraySerializer());
    private ShuffleProducer<String, String> producer;

    @AfterEach
    void close() {
        store.mayStore.complete(null);
        producer.close();
        engine.close();
        store.close();
        time.close();
    }

    private void open(boolean transactional, Duration maxBlock) {
        ProducerWiring wiring = new ProducerWiring(
                Mode.GENERAL,
                Clients.topics(),
                ProducerWiring.Writes.BLOBS,
                transactional,
                Duration.ofMinutes(5),
                Duration.ofMinutes(2),
                ClientPair.alone(),
                Membership.none(),
                time);
        producer = new ShuffleProducer<>(new ProducerParts<>(
                real,
                engine,
                "p",
                wiring,
                new RecordSerializer<>(new StringSerializer(), new StringSerializer()),
                new ProducerInterceptorChain<>(List.of()),
                new Partitioning(null, Partitioning.Keys.HASHED),
                maxBlock,
                topic -> {},
                unchanged -> 0,
                Map::of,
                () -> {}));
        if (transactional) {
            producer.initTransactions();
            producer.beginTransaction();
        }
    }

    private Future<RecordMetadata> send(String value) {
        return producer.send(new ProducerRecord<>("blob-t", 0, "k", value));
    }

    @Test
    void refusedCloseAndRefusedAbortLoseNothing() throws Exception {
        open(false, Duration.ofMinutes(1));
        store.mayStore.complete(null);
        Future<RecordMetadata> sent = send("one");
        assertThatThrownBy(() -> producer.close(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(producer::abortTransaction).isInstanceOf(IllegalStateException.class);
        producer.flush();

        assertThat(sent.get().offset()).isEqualTo(VirtualOffset.of(0, VirtualOffset.LAST));
    }

    /** No other thread has the producer. */
    @Test
    void anInterruptedCloseFailsWhatWasNotFlushedAsClosed() {
        open(false, Duration.ofMinutes(1));
        Future<RecordMetadata> sent = send("one");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> producer.close(Duration.ofMinutes(1))).isInstanceOf(InterruptException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(sent::get).hasMessageContaining("it is closed");
    }

    @Test
    void headersOfASentRecordCannotChange() {
        open(false, Duration.ofMinutes(1));
        store.mayStore.complete(null);
        ProducerRecord<String, String> record = new ProducerRecord<>("blob-t", 0, "k", "v");
        producer.send(record);

        assertThatThrownBy(() -> record.headers().add("late", new byte[0])).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void interruptedFlushLosesNothingAndTheNextOneEndsIt() throws Exception {
        open(false, Duration.ofMinutes(1));
        Future<RecordMetadata> one = send("one");
        interruptWhileStoring(producer::flush);
        Future<RecordMetadata> two = send("two");
        store.mayStore.complete(null);
        producer.flush();

        assertThat(one.get().offset()).isEqualTo(VirtualOffset.of(0, VirtualOffset.LAST));
        assertThat(two.get().offset()).isEqualTo(VirtualOffset.of(1, VirtualOffset.LAST));
        assertThat(real.history()).as("a notification each").hasSize(2);
    }

    @Test
    void interruptedCommitMayBeTriedAgain() throws Exception {
        open(true, Duration.ofMinutes(1));
        Future<RecordMetadata> one = send("one");
        interruptWhileStoring(producer::commitTransaction);
        assertThat(real.transactionCommitted()).isFalse();
        store.mayStore.complete(null);
        producer.commitTransaction();

        assertThat(one.get().hasOffset()).isTrue();
        assertThat(real.transactionCommitted()).isTrue();
        assertThat(real.history()).hasSize(1);
    }

    private void interruptWhileStoring(Runnable call) throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                call.run();
                thrown.complete(null);
            } catch (Throwable e) {
                thrown.complete(Thread.currentThread().isInterrupted() ? e : new AssertionError("flag is lost", e));
            }
        });
        thread.start();
        store.isAsked.await();
        thread.interrupt();
        assertThat(thrown.get()).isInstanceOf(InterruptException.class);
        thread.join();
    }

    @Test
    void sendWaitsNoLongerThanMaxBlockForAnotherThreadsFlush() throws Exception {
        open(false, Duration.ofMillis(50));
        Future<RecordMetadata> one = send("one");
        CompletableFuture<Void> flush = CompletableFuture.runAsync(producer::flush);
        store.isAsked.await();

        assertThatThrownBy(() -> send("two").get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("max.block.ms");
        assertThat(flush).isNotDone();
        store.mayStore.complete(null);
        flush.get();
        assertThat(one.get().hasOffset()).isTrue();
        Future<RecordMetadata> three = send("three");
        producer.flush();
        assertThat(three.get().hasOffset()).isTrue();
    }

    @Test
    void transactionWhoseSendTimedOutIsNotCommitted() throws Exception {
        open(true, Duration.ofMillis(50));
        send("one");
        CompletableFuture<Void> flush = CompletableFuture.runAsync(producer::flush);
        store.isAsked.await();
        Future<RecordMetadata> two = send("two");
        assertThatThrownBy(two::get).hasCauseInstanceOf(TimeoutException.class);
        store.mayStore.complete(null);
        flush.get();

        assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
        producer.abortTransaction();
        producer.beginTransaction();
        Future<RecordMetadata> again = send("two");
        producer.commitTransaction();
        assertThat(again.get().hasOffset()).isTrue();
    }

    /** Stores when the test allows it. */
    private static final class SlowStore extends ForwardingBlobStore {
        private final CountDownLatch isAsked = new CountDownLatch(1);
        private final CompletableFuture<Void> mayStore = new CompletableFuture<>();

        SlowStore() {
            super(new MemoryBlobStore("slow", 1 << 20));
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            isAsked.countDown();
            return mayStore.thenCompose(now -> store().put(id, content));
        }
    }
}
