package dev.blobshuffle.kstreams.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** Gates in one task: each holds records back until the commit, and what they release must get through caches and further gates before it. */
class CommitGateTest {
    private final List<String> log = new ArrayList<>();

    @Test
    void everythingHeldBackIsOutBeforeTheCommit() {
        try (TopologyTestDriver driver = driver(chain(new Held("first", ""), new Held("second", "")))) {
            input(driver).pipeInput("k", "v");

            // TopologyTestDriver commits after each record.
            assertThat(values(driver)).containsExactly("v");
            assertThat(log).containsSubsequence("first releases v", "second releases v");
        }
    }

    /** A store belongs to the first node that uses it: written behind the second gate, its cache has had its turn when that gate releases. */
    @Test
    void cacheThatHadItsTurnIsFlushedAgain() {
        StreamsBuilder builder = new StreamsBuilder();
        StoreBuilder<KeyValueStore<String, String>> store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("shared"), Serdes.String(), Serdes.String())
                .withCachingEnabled();
        builder.addStateStore(store);
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(() -> new Writing("early "), Named.as("early"), "shared")
                .process(new Held("gate", ""), Named.as("held"))
                .process(() -> new Writing("late "), Named.as("late"), "shared")
                .to("output", Produced.with(Serdes.String(), Serdes.String()));

        try (TopologyTestDriver driver = driver(builder.build())) {
            input(driver).pipeInput("k", "v");

            assertThat(values(driver)).containsExactly("v");
            assertThat(driver.createOutputTopic(
                                    "tested-shared-changelog", new StringDeserializer(), new StringDeserializer())
                            .readValuesToList())
                    .containsExactly("early v", "late v");
        }
    }

    @Test
    void failureBeforeTheCommitKeepsItsType() {
        TopologyTestDriver driver = driver(chain(new Held("first", "bad"), new Held("second", "")));
        TestInputTopic<String, String> input = input(driver);

        assertThatThrownBy(() -> input.pipeInput("k", "bad"))
                .isInstanceOf(StreamsException.class)
                .hasMessage("bad is not released");
        assertThat(log).doesNotContain("second releases bad");
        assertThatThrownBy(driver::close).hasMessage("bad is not released");
    }

    @Test
    void processorWithoutItsGateIsRefused() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(() -> new Held("lonely", "").get());

        assertThatThrownBy(() -> driver(builder.build()))
                .hasStackTraceContaining("Give the supplier itself to process or processValues");
    }

    private static Topology chain(Held first, Held second) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(first)
                .process(second)
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }

    private static TopologyTestDriver driver(Topology topology) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        Properties properties = new Properties();
        properties.putAll(settings);
        return new TopologyTestDriver(topology, properties);
    }

    private static TestInputTopic<String, String> input(TopologyTestDriver driver) {
        return driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
    }

    private static List<String> values(TopologyTestDriver driver) {
        return driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                .readValuesToList();
    }

    /** Holds every record back until the commit. */
    private final class Held implements ProcessorSupplier<String, String, String, String> {
        private final String name;
        private final String poison;

        private Held(String name, String poison) {
            this.name = name;
            this.poison = poison;
        }

        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(CommitGate.builder(name));
        }

        @Override
        public Processor<String, String, String, String> get() {
            return new Processor<>() {
                private final Deque<Record<String, String>> held = new ArrayDeque<>();

                @Override
                public void init(ProcessorContext<String, String> context) {
                    NodeScope scope = NodeScope.of(context);
                    CommitGate.of(context, name).attach(scope, () -> {
                        boolean forwards = !held.isEmpty();
                        scope.run(() -> {
                            for (Record<String, String> next = held.poll(); next != null; next = held.poll()) {
                                if (next.value().equals(poison)) {
                                    held.addFirst(next);
                                    throw new StreamsException(poison + " is not released");
                                }
                                log.add(name + " releases " + next.value());
                                scope.forward(next);
                            }
                        });
                        return forwards;
                    });
                }

                @Override
                public void process(Record<String, String> record) {
                    held.add(record);
                }
            };
        }
    }

    /** Writes every record into the shared store and lets it pass. */
    private static final class Writing implements Processor<String, String, String, String> {
        private final String prefix;
        private ProcessorContext<String, String> context;

        private Writing(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public void init(ProcessorContext<String, String> given) {
            context = given;
        }

        @Override
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> store = context.getStateStore("shared");
            store.put(record.key(), prefix + record.value());
            context.forward(record);
        }
    }
}
