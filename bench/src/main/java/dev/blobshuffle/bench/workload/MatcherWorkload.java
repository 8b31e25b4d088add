package dev.blobshuffle.bench.workload;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * ShuffleBench. Each record goes to all rules that it matches, and is counted there. After a number
 * of matches a rule writes an event. A state, and an event, is the number of matches, the sum of
 * the records' first 8 bytes, and the times of the first and last record, 8 bytes each, big-endian.
 */
final class MatcherWorkload implements BenchWorkload {
    static final int STATE_BYTES = 4 * Long.BYTES;
    static final String STORE = "state";
    static final String OUTPUT = "output";

    @Override
    public String name() {
        return "matcher";
    }

    @Override
    public String meaning() {
        return "ShuffleBench: records go to the rules that they match, which count them and write events.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        int bytes = Math.max(2 * Long.BYTES, parameters.count(Parameter.RECORD_BYTES));
        int source = Math.toIntExact(Math.max(0, parameters.number(Parameter.SEED) - 1));
        SplittableRandom random = new SplittableRandom(Hashing.komihash4_3()
                .hashStream()
                .putString("shuffle-load-generator-0")
                .putInt(source)
                .getAsLong());
        return new Source() {
            private long index;

            @Override
            public Message next() {
                byte[] value = new byte[bytes];
                random.nextBytes(value);
                return new Message(null, value, timeline.timestamp(index++));
            }
        };
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        return new MatcherExpectation(
                MatchingRules.of(parameters),
                parameters.number(Parameter.OUTPUT_RATE),
                parameters.text(Parameter.GUARANTEE).startsWith("exactly_once"),
                parameters.hasFaults());
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        Serde<byte[]> bytes = Serdes.ByteArray();
        MatchingRules rules = MatchingRules.of(parameters);
        int outputRate = parameters.count(Parameter.OUTPUT_RATE);
        builder.addStateStore(Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray()));
        builder.stream(topics.input(), Consumed.with(bytes, bytes))
                .process(() -> new Matcher(rules))
                .repartition(Repartitioned.<String, byte[]>as("matches")
                        .withKeySerde(Serdes.String())
                        .withValueSerde(bytes)
                        .withNumberOfPartitions(2 * parameters.count(Parameter.PARTITIONS)))
                .<String, byte[]>process(() -> new Counter(probes, outputRate), STORE)
                .to(topics.own(OUTPUT), Produced.with(Serdes.String(), bytes));
    }

    /**
     * Copies a record to each rule that it matches, its time before its bytes. Owned by its stream
     * thread.
     */
    private static final class Matcher implements Processor<byte[], byte[], String, byte[]> {
        private final MatchingRules rules;
        private ProcessorContext<String, byte[]> context;

        @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
        Matcher(MatchingRules rules) {
            this.rules = rules;
        }

        @Override
        public void init(ProcessorContext<String, byte[]> ownContext) {
            context = ownContext;
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            byte[] stamped = ByteBuffer.allocate(Long.BYTES + record.value().length)
                    .putLong(record.timestamp())
                    .put(record.value())
                    .array();
            List<Integer> matches = new ArrayList<>();
            rules.match(record.value(), matches::add);
            for (int rule : matches) {
                context.forward(new Record<>(MatchingRules.key(rule), stamped, record.timestamp()));
            }
        }
    }

    /** Counts the matches of rules. Owned by its stream thread. */
    private static final class Counter implements Processor<String, byte[], String, byte[]> {
        private final Probes probes;
        private final int outputRate;
        private ProcessorContext<String, byte[]> context;
        private KeyValueStore<String, byte[]> states;

        @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
        Counter(Probes probes, int outputRate) {
            this.probes = probes;
            this.outputRate = outputRate;
        }

        @Override
        public void init(ProcessorContext<String, byte[]> ownContext) {
            context = ownContext;
            states = ownContext.getStateStore(STORE);
        }

        @Override
        public void process(Record<String, byte[]> record) {
            ByteBuffer stamped = ByteBuffer.wrap(record.value());
            long time = stamped.getLong();
            long first = stamped.getLong();
            RecordProbe probe = probes.own();
            probe.add(Value.checksum(probe.scratch(), record.value()), (System.currentTimeMillis() - time) * 1000);
            byte[] old = states.get(record.key());
            ByteBuffer state = ByteBuffer.wrap(old == null ? new byte[STATE_BYTES] : old);
            long count = state.getLong(0) + 1;
            byte[] next = ByteBuffer.allocate(STATE_BYTES)
                    .putLong(count)
                    .putLong(state.getLong(Long.BYTES) + first)
                    .putLong(count == 1 ? time : state.getLong(2 * Long.BYTES))
                    .putLong(time)
                    .array();
            if (count == outputRate) {
                context.forward(record.withValue(next));
                states.put(record.key(), new byte[STATE_BYTES]);
            } else {
                states.put(record.key(), next);
            }
        }
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return List.of(OUTPUT);
    }

    @Override
    public boolean bearsFaults() {
        return true;
    }
}
