package dev.blobshuffle.kstreams.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.differential.Comparison.Rows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The comparison detects one wrong record among hundreds before the shuffles. */
class PlantedFaultTest {
    private static final Topics TOPICS = new Topics("planted");
    private static final Map<String, Rows> RIGHT = run(UnaryOperator.identity());
    private static final String VICTIM = ";" + joined(RIGHT) + ";";

    @Test
    void twoRunsWithoutFaultAgree() {
        assertThat(Comparison.differences(RIGHT, run(UnaryOperator.identity()))).isEmpty();
        assertThat(RIGHT.values()).allMatch(rows -> !rows.rows().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void oneWrongRecordIsNoticed(Fault fault) {
        List<String> found = Comparison.differences(RIGHT, run(stream -> stream.process(() -> new Planted(fault))));

        assertThat(found)
                .extracting(difference -> difference.substring(0, difference.indexOf(':')))
                .containsAll(fault.noticedBy);
    }

    /** The sequence number of an event that affects every result. */
    private static String joined(Map<String, Rows> rows) {
        String pair = rows.get(Output.JOINED.name()).rows().get(0).value();
        return pair.substring(0, pair.indexOf('+'));
    }

    private static Map<String, Rows> run(UnaryOperator<KStream<String, String>> tamper) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "planted");
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        Map<String, Rows> left = new HashMap<>();
        try (TopologyTestDriver driver = new TopologyTestDriver(
                new DifferentialTopology(TOPICS, tamper, Shuffling.BY_KAFKA_STREAMS).build(settings), settings)) {
            for (List<Workload.Input> phase : new Workload(TOPICS, 450, 7).phases()) {
                phase.forEach(
                        input -> driver.createInputTopic(input.topic(), new StringSerializer(), new StringSerializer())
                                .pipeInput(input.key(), input.value(), input.timestamp()));
            }
            for (Output output : Output.values()) {
                left.put(output.name(), new Rows(output.agreement(), rows(driver, TOPICS.output(output))));
            }
        }
        return left;
    }

    private static List<Row> rows(TopologyTestDriver driver, String topic) {
        return driver
                .createOutputTopic(topic, new StringDeserializer(), new StringDeserializer())
                .readRecordsToList()
                .stream()
                .map(PlantedFaultTest::row)
                .toList();
    }

    private static Row row(TestRecord<String, String> record) {
        return new Row(
                record.key(),
                record.value(),
                record.timestamp(),
                record.headers().toString());
    }

    enum Fault {
        LOST("COUNTS", "DIGESTS", "WINDOWS", "SESSIONS", "JOINED", "ENRICHED", "MOVED", "CHAINED"),
        DOUBLED("COUNTS", "DIGESTS", "WINDOWS", "SESSIONS", "JOINED", "ENRICHED", "MOVED", "CHAINED"),
        SWAPPED_WITHIN_KEY("MOVED"),
        SWAPPED_WITHIN_USER("DIGESTS");

        private final List<String> noticedBy;

        Fault(String... noticedBy) {
            this.noticedBy = List.of(noticedBy);
        }
    }

    /**
     * Damages one record. To swap records, it holds one back until the next record that must not
     * overtake it has passed.
     */
    private static final class Planted extends ContextualProcessor<String, String, String, String> {
        private final Fault fault;
        private @Nullable Record<String, String> held;

        private Planted(Fault fault) {
            this.fault = fault;
        }

        @Override
        public void process(Record<String, String> record) {
            boolean victim = record.value() != null && record.value().contains(VICTIM);
            if (!victim) {
                context().forward(record);
                release(record);
            } else if (fault == Fault.DOUBLED) {
                context().forward(record);
                context().forward(record);
            } else if (fault != Fault.LOST) {
                held = record;
            }
        }

        private void release(Record<String, String> passed) {
            if (held != null && passed.value() != null && swaps(held, passed)) {
                context().forward(held);
                held = null;
            }
        }

        private boolean swaps(Record<String, String> one, Record<String, String> other) {
            if (fault == Fault.SWAPPED_WITHIN_KEY) {
                return one.key().equals(other.key());
            }
            String[] parts = one.value().split(";");
            return other.value().startsWith(parts[0] + ";") && other.value().endsWith(";" + parts[3]);
        }
    }
}
