package dev.blobshuffle.kstreams.chaos;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * The application: a shuffle by key to a stateful operator that numbers its records, and from there
 * two more shuffles: by group to the output, and by group to a count with a cache. Each output
 * record has the operator's number, which must be its sequence plus one, so the operator's state is
 * checked too.
 */
final class ChaosTopology {
    static final String INPUT = "input";
    static final String OUTPUT = "output";
    static final String COUNTS = "counts";

    private static final String NUMBERS = "numbers";

    /** The changelogs of the stores. */
    static final List<String> CHANGELOGS = List.of("chaos-" + NUMBERS + "-changelog", "chaos-" + COUNTS + "-changelog");

    /** Set to make the next record kill its stream thread. */
    static final AtomicBoolean THROW = new AtomicBoolean();

    /** Set to make the next record hold its stream thread up to this many milliseconds. */
    static final AtomicLong DAWDLE = new AtomicLong();

    private ChaosTopology() {}

    static Topology build(ChaosVariant variant) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(
                Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(NUMBERS), Serdes.Integer(), Serdes.Long()));
        KStream<Integer, byte[]> byKey = builder.stream(INPUT, Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .selectKey((none, value) -> ChaosRecord.of(value).key());
        KStream<Integer, byte[]> numbered = variant.repartition("by-key", 6, byKey)
                .process((ProcessorSupplier<Integer, byte[], Integer, byte[]>) Numbering::new, NUMBERS)
                .selectKey((key, value) -> ChaosRecord.of(value).group());
        variant.repartition("by-group", 4, numbered).to(OUTPUT, Produced.with(Serdes.Integer(), Serdes.ByteArray()));
        // With the operators, this shuffle is explicit too: Kafka Streams does not repartition a
        // stream without need.
        (variant.isOfOperators() ? variant.repartition("by-group-counts", 4, numbered) : numbered)
                .groupByKey(Grouped.with("counts", Serdes.Integer(), Serdes.ByteArray()))
                .count(Materialized.<Integer, Long>as(Stores.inMemoryKeyValueStore("counts"))
                        .withKeySerde(Serdes.Integer())
                        .withCachingEnabled())
                .toStream()
                .to(COUNTS, Produced.with(Serdes.Integer(), Serdes.Long()));
        return builder.build();
    }

    /** Replaces the padding's first bytes by the number. */
    private static final class Numbering implements Processor<Integer, byte[], Integer, byte[]> {
        private ProcessorContext<Integer, byte[]> context;
        private KeyValueStore<Integer, Long> numbers;

        @Override
        public void init(ProcessorContext<Integer, byte[]> ownContext) {
            context = ownContext;
            numbers = ownContext.getStateStore(NUMBERS);
        }

        @Override
        public void process(Record<Integer, byte[]> record) {
            if (THROW.compareAndSet(true, false)) {
                throw new IllegalStateException("planned by the test");
            }
            long pause = DAWDLE.get();
            if (pause > 0 && DAWDLE.compareAndSet(pause, 0)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
            }
            ChaosRecord content = ChaosRecord.of(record.value());
            int sequence = content.key() * ChaosRecord.ORIGINS + content.origin();
            Long before = numbers.get(sequence);
            long number = (before == null ? 0 : before) + 1;
            numbers.put(sequence, number);
            ByteBuffer.wrap(record.value()).putLong(16, number);
            context.forward(record);
        }
    }

    /** A value of the topic of counts. */
    static long count(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    /** The stateful operator's number in an output record. */
    static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong(16);
    }
}
