package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes the input at a steady rate, on its own thread, and waits while the application is far
 * behind. Kafka's idempotent producer ensures that the death of a broker neither loses nor
 * duplicates a record.
 */
final class ChaosInput {
    private static final Duration TICK = Duration.ofMillis(10);
    private static final int MOST_BEHIND = 30_000;

    private final ChaosLedger ledger;
    private final SplittableRandom random;
    private final int perTick;
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;

    ChaosInput(String bootstrapServers, ChaosLedger ledger, ChaosOptions options) {
        this.ledger = ledger;
        this.random = new SplittableRandom(options.seed());
        this.perTick = (int) Math.max(1, options.rate() * TICK.toMillis() / 1000);
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("delivery.timeout.ms", 600_000);
        settings.put("max.block.ms", 600_000);
        settings.put("reconnect.backoff.max.ms", 200);
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        thread = new Thread(this::write, "chaos-input");
        thread.setDaemon(true);
        thread.start();
    }

    private void write() {
        try {
            while (!end.await(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
                for (int i = 0; i < perTick && ledger.behind() < MOST_BEHIND; i++) {
                    int origin = random.nextInt(ChaosRecord.ORIGINS);
                    ChaosRecord record = ledger.send(origin, random.nextInt(ChaosRecord.KEYS));
                    producer.send(
                            new ProducerRecord<>(ChaosTopology.INPUT, origin, null, record.bytes()), (sent, e) -> {
                                if (e != null) {
                                    failure.compareAndSet(null, e);
                                }
                            });
                }
            }
        } catch (InterruptedException | RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Ends the input; when it returns, every record is in Kafka. */
    void finish() throws Exception {
        end.countDown();
        thread.join();
        producer.close();
        if (failure.get() != null) {
            throw new AssertionError("the input could not be written", failure.get());
        }
    }
}
