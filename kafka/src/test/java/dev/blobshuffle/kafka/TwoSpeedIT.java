package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients over a store of two speeds, with real brokers and directories. */
class TwoSpeedIT {
    private static final Duration DELAY = Duration.ofMillis(20);

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    private static void delete(Path tree) throws Exception {
        List<Path> paths;
        try (Stream<Path> found = Files.walk(tree)) {
            paths = new ArrayList<>(found.toList());
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            Files.deleteIfExists(paths.get(i));
        }
    }

    @Test
    void everyRecordArrivesInOrderWhenTheFastStoreIsDeletedInMidRun() throws Exception {
        Path copies = directory.resolve("copies");
        String uri = "two-speed:fast=file://" + copies + ",durable=file://" + directory.resolve("blobs");
        BlobStore store = BlobStores.open(uri, time);
        List<String> sent = new ArrayList<>();
        try (Clients clients = new Clients(store, DELAY)) {
            String topic = clients.blobTopic(1);
            Producer<String, String> producer = clients.producer();
            Consumer<String, String> consumer = clients.consumer("g");
            consumer.assign(List.of(Clients.partition(topic)));
            List<String> received = new ArrayList<>();
            ShuffleMetrics metrics = clients.engine().metrics();
            for (int round = 0; round < 20 || metrics.value(Gauge.FAST_STORE_DOWN) == 0; round++) {
                for (int i = 0; i < 50; i++) {
                    sent.add("v" + sent.size());
                    producer.send(new ProducerRecord<>(topic, 0, "k", sent.get(sent.size() - 1)));
                }
                if (round == 10) {
                    // Some of its copies are not read yet.
                    Files.move(copies, directory.resolve("lost"));
                    delete(directory.resolve("lost"));
                }
                producer.flush();
                if (round % 4 == 3) {
                    received.addAll(Clients.valuesOf(Clients.read(consumer, sent.size() - received.size())));
                }
            }
            if (received.size() < sent.size()) {
                received.addAll(Clients.valuesOf(Clients.read(consumer, sent.size() - received.size())));
            }
            assertThat(received).isEqualTo(sent);
            assertThat(metrics.value(Counter.FAST_PUT_FAILURES)).isPositive();
            assertThat(metrics.value(Counter.FAST_GET_FAILURES)).isPositive();
        } finally {
            store.close();
        }
    }

    @Test
    void aConsumerHasARecordBeforeItsSendIsAnswered() throws Exception {
        CompletableFuture<Void> durable = new CompletableFuture<>();
        BlobStore slow = new ForwardingBlobStore(new MemoryBlobStore("slow", 1 << 20)) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                content.retain();
                return durable.thenCompose(go -> super.put(id, content))
                        .whenComplete((stored, failure) -> content.release());
            }
        };
        StoreHalves halves = new StoreHalves(new MemoryBlobStore("quick", 1 << 20), slow);
        try (TwoSpeedBlobStore store = new TwoSpeedBlobStore(halves, time, new ShuffleMetrics());
                Clients clients = new Clients(store, DELAY)) {
            String topic = clients.blobTopic(1);
            Future<RecordMetadata> send = clients.producer().send(new ProducerRecord<>(topic, 0, "k", "v"));
            Consumer<String, String> consumer = clients.consumer("g");
            consumer.assign(List.of(Clients.partition(topic)));

            assertThat(Clients.valuesOf(Clients.read(consumer, 1))).containsExactly("v");
            assertThat(send.isDone()).isFalse();

            durable.complete(null);
            assertThat(send.get().offset()).isNotNegative();
        }
    }
}
