package dev.blobshuffle.bench.workload;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.HdrHistogram.Histogram;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** The probes of an instance, one for each thread that saw a shuffled record. Thread-safe. */
public final class Probes {
    private final List<RecordProbe> all = new CopyOnWriteArrayList<>();
    private final ThreadLocal<RecordProbe> own = ThreadLocal.withInitial(this::add);

    /** An instance without probes yet. */
    public Probes() {}

    private RecordProbe add() {
        RecordProbe probe = new RecordProbe();
        all.add(probe);
        return probe;
    }

    /** The probe of the calling thread. */
    RecordProbe own() {
        return own.get();
    }

    /**
     * A serde whose deserializer counts measurements. Kafka Streams calls it when it processes a
     * shuffled record.
     */
    Serde<Measurement> counting() {
        Deserializer<Measurement> plain = Measurement.SERDE.deserializer();
        return Serdes.serdeFrom(Measurement.SERDE.serializer(), (topic, bytes) -> {
            Measurement measurement = plain.deserialize(topic, bytes);
            if (measurement != null) {
                RecordProbe probe = own();
                probe.add(
                        Value.checksum(probe.scratch(), bytes),
                        (System.currentTimeMillis() - measurement.timestamp()) * 1000);
            }
            return measurement;
        });
    }

    /** Records counted. */
    public long count() {
        return all.stream().mapToLong(RecordProbe::count).sum();
    }

    /** The sum of their checksums, once all threads have stopped. */
    public long checksum() {
        return all.stream().mapToLong(RecordProbe::checksum).sum();
    }

    /** Latencies in microseconds since the last call. */
    public Histogram latencies() {
        Histogram sum = RecordProbe.histogram();
        all.forEach(probe -> sum.add(probe.latencies()));
        return sum;
    }
}
