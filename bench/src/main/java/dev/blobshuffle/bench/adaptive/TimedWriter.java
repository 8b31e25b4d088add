package dev.blobshuffle.bench.adaptive;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.simulator.trial.SwingingLoad;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends a {@link SwingingLoad}. Each record holds its send time, its writer's zone and its number
 * in the partition. In the end the writer sends a short record to each partition. Used by one
 * thread.
 */
final class TimedWriter {
    private static final Pattern SHOWN = Pattern.compile(
            "chosen-.*|predicted-.*|target-.*|(shuffle|hand-out|notification|put|get)-latency-p(50|95)");
    private static final long TICK_NANOS = 10_000_000;

    private final Map<String, Object> settings;
    private final int zone;
    private final SwingingLoad load;
    private final Time time;
    private final long[] sent = new long[RealTimeTrial.PARTITIONS];

    TimedWriter(Map<String, Object> settings, int zone, SwingingLoad load, Time time) {
        this.settings = settings;
        this.zone = zone;
        this.load = load;
        this.time = time;
    }

    /**
     * The result of sending.
     *
     * @param metrics of the engine at the end
     */
    record Sent(long records, Map<String, Double> metrics) {}

    Sent write(long start, Duration length) {
        try (Producer<byte[], byte[]> producer =
                new BlobProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            double perNano = SwingingLoad.mostBytesPerSecond() / SwingingLoad.RECORD_BYTES / 1e9;
            double due = 0;
            long number = 0;
            long before = time.nanos();
            while (before - start < length.toNanos()) {
                LockSupport.parkNanos(TICK_NANOS);
                long now = time.nanos();
                due += (now - before) * perNano * load.share((now - start) / 1e9);
                before = now;
                for (; due >= 1; due--) {
                    send(producer, (int) (number++ % RealTimeTrial.PARTITIONS), now);
                }
            }
            Map<String, Double> metrics = metrics(producer);
            producer.flush();
            for (int partition = 0; partition < RealTimeTrial.PARTITIONS; partition++) {
                producer.send(new ProducerRecord<>(RealTimeTrial.TOPIC, partition, null, TimedReader.END));
            }
            producer.flush();
            return new Sent(number, metrics);
        }
    }

    private void send(Producer<byte[], byte[]> producer, int partition, long now) {
        byte[] value = new byte[SwingingLoad.RECORD_BYTES];
        ByteBuffer.wrap(value).putLong(now).putInt(zone).putLong(sent[partition]++);
        producer.send(new ProducerRecord<>(RealTimeTrial.TOPIC, partition, null, value));
    }

    private static Map<String, Double> metrics(Producer<byte[], byte[]> producer) {
        Map<String, Double> metrics = new HashMap<>();
        producer.metrics().forEach((name, metric) -> {
            if (SHOWN.matcher(name.name()).matches() && metric.metricValue() instanceof Number number) {
                metrics.put(name.name(), number.doubleValue());
            }
        });
        return metrics;
    }
}
