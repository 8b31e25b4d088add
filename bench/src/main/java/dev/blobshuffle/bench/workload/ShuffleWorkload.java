package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * The minimal shuffle benchmark of the BlobShuffle paper, section 5.1. It reads values without
 * keys, takes the first 8 bytes as key, writes the time over the last 8, shuffles, and reads each
 * record once. Its last step, an output topic with every record, is a parameter. The time is {@link
 * System#nanoTime}, which is one clock for all processes of a Linux machine.
 */
final class ShuffleWorkload implements BenchWorkload {
    private static final String SHUFFLE = "shuffle";
    private static final Serde<byte[]> BYTES = Serdes.ByteArray();

    @Override
    public String name() {
        return SHUFFLE;
    }

    @Override
    public String meaning() {
        return "The paper's minimal benchmark: values get a key and a time, and are shuffled.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        int bytes = parameters.count(Parameter.RECORD_BYTES);
        if (bytes < Value.LEAST_BYTES) {
            throw new IllegalArgumentException("Cannot shuffle records of " + bytes + " bytes: key and time need "
                    + Value.LEAST_BYTES + ". Give --record-bytes " + Value.LEAST_BYTES + " or more.");
        }
        SplittableRandom random = new SplittableRandom(parameters.number(Parameter.SEED));
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
        return new Sum();
    }

    /** Every record once. */
    private static final class Sum implements Expectation {
        private final CRC32C scratch = new CRC32C();
        private long count;
        private long bytes;
        private long checksum;

        @Override
        public void add(Message message) {
            byte[] value = message.value();
            checksum += Value.checksum(scratch, Arrays.copyOf(value, Value.KEY_BYTES), value);
            bytes += value.length;
            count++;
        }

        @Override
        public long shuffled() {
            return count;
        }

        @Override
        public long shuffledBytes() {
            return bytes;
        }

        @Override
        public Optional<String> problem(Observed observed) {
            return Expectation.unlessEqual("records after the shuffle", count, observed.count())
                    .or(() -> Expectation.unlessEqual("sum of checksums", checksum, observed.checksum()));
        }
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        KStream<byte[], byte[]> shuffled = keyed(builder, topics)
                .repartition(Repartitioned.<byte[], byte[]>as(SHUFFLE)
                        .withKeySerde(BYTES)
                        .withValueSerde(BYTES)
                        .withNumberOfPartitions(partitions(parameters)));
        count(shuffled, parameters, topics, probes);
    }

    @Override
    public boolean hasOperators() {
        return true;
    }

    @Override
    public void defineWithOperators(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        BlobShuffle<byte[], byte[]> shuffle = BlobShuffle.<byte[], byte[]>builder(SHUFFLE, partitions(parameters))
                .serdes(BYTES, BYTES)
                .build();
        count(shuffle.repartition(keyed(builder, topics)), parameters, topics, probes);
    }

    private static int partitions(Parameters parameters) {
        return 2 * parameters.count(Parameter.PARTITIONS);
    }

    private static KStream<byte[], byte[]> keyed(StreamsBuilder builder, Topics topics) {
        return builder.stream(topics.input(), Consumed.with(BYTES, BYTES)).map((none, value) -> {
            Value.stamp(value, System.nanoTime());
            return KeyValue.pair(Arrays.copyOf(value, Value.KEY_BYTES), value);
        });
    }

    private static void count(KStream<byte[], byte[]> shuffled, Parameters parameters, Topics topics, Probes probes) {
        if (parameters.flag(Parameter.OUTPUT)) {
            shuffled.<byte[], byte[]>process(() -> new Tally(probes))
                    .to(topics.own("output"), Produced.with(BYTES, BYTES));
        } else {
            shuffled.process(() -> new Tally(probes));
        }
    }

    /** Looks at each record and passes it on. Owned by its stream thread. */
    private static final class Tally implements Processor<byte[], byte[], byte[], byte[]> {
        private final Probes probes;
        private ProcessorContext<byte[], byte[]> context;

        @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
        Tally(Probes probes) {
            this.probes = probes;
        }

        @Override
        public void init(ProcessorContext<byte[], byte[]> ownContext) {
            context = ownContext;
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            RecordProbe probe = probes.own();
            probe.add(
                    Value.checksum(probe.scratch(), record.key(), record.value()),
                    (System.nanoTime() - Value.stamp(record.value())) / 1000);
            context.forward(record);
        }
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return parameters.flag(Parameter.OUTPUT) ? List.of("output") : List.of();
    }

    @Override
    public boolean isStamped() {
        return true;
    }
}
