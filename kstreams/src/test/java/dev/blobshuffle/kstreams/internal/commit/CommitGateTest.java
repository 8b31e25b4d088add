package dev.blobshuffle.kstreams.internal.commit;

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
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.junit.jupiter.api.Test;

/**
 * Gates in one task: each holds records back until the commit. The records that it releases must
 * pass through caches and further gates before the commit.
 */
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

    /**
     * A store belongs to the first node that uses it. If it is written after the second gate, its
     * cache is flushed before that gate releases records.
     */
    @Test
    void cacheThatHadItsTurnIsFlushedAgain() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(new SharedCache.Builder());
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(() -> new Using(false), Named.as("early"), SharedCache.NAME)
                .process(new Held("gate", ""), Named.as("held"))
                .process(() -> new Using(true), Named.as("late"), SharedCache.NAME)
                .process(new Watching(), Named.as("last"), SharedCache.NAME);

        try (TopologyTestDriver driver = driver(builder.build())) {
            input(driver).pipeInput("k", "v");
        }

        assertThat(log).contains("the cache is clean").doesNotContain("the cache is dirty");
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
                .hasStackTraceContaining("Pass the supplier itself to process or processValues");
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

    /** A cache that only knows whether it was written since its last flush. */
    private static final class SharedCache implements StateStore, CachedStateStore<Object, Object> {
        static final String NAME = "shared";

        private boolean isDirty;
        private boolean isOpen;

        @Override
        public void flushCache() {
            isDirty = false;
        }

        @Override
        public void clearCache() {}

        @Override
        public boolean setFlushListener(CacheFlushListener<Object, Object> listener, boolean sendOldValues) {
            return false;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void init(StateStoreContext context, StateStore root) {
            context.register(root, (key, value) -> {});
            isOpen = true;
        }

        @Override
        @SuppressWarnings("deprecation") // Abstract until Kafka 4.2.
        public void flush() {}

        @Override
        public void close() {
            isOpen = false;
        }

        @Override
        public boolean persistent() {
            return false;
        }

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        private record Builder() implements StoreBuilder<SharedCache> {
            @Override
            public SharedCache build() {
                return new SharedCache();
            }

            @Override
            public StoreBuilder<SharedCache> withCachingEnabled() {
                return this;
            }

            @Override
            public StoreBuilder<SharedCache> withCachingDisabled() {
                return this;
            }

            @Override
            public StoreBuilder<SharedCache> withLoggingEnabled(Map<String, String> config) {
                return this;
            }

            @Override
            public StoreBuilder<SharedCache> withLoggingDisabled() {
                return this;
            }

            @Override
            public Map<String, String> logConfig() {
                return Map.of();
            }

            @Override
            public boolean loggingEnabled() {
                return false;
            }

            @Override
            public String name() {
                return NAME;
            }
        }
    }

    /** Uses the shared cache, and writes to it if configured. */
    private static final class Using implements Processor<String, String, String, String> {
        private final boolean isWriting;
        private ProcessorContext<String, String> context;
        private SharedCache cache;

        private Using(boolean isWriting) {
            this.isWriting = isWriting;
        }

        @Override
        public void init(ProcessorContext<String, String> given) {
            context = given;
            cache = given.getStateStore(SharedCache.NAME);
        }

        @Override
        public void process(Record<String, String> record) {
            cache.isDirty |= isWriting;
            context.forward(record);
        }
    }

    /** Its gate comes last: entries that are still dirty then would miss the commit. */
    private final class Watching implements ProcessorSupplier<String, String, String, String> {
        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(CommitGate.builder("watching"));
        }

        @Override
        public Processor<String, String, String, String> get() {
            return new Processor<>() {
                @Override
                public void init(ProcessorContext<String, String> context) {
                    SharedCache cache = context.getStateStore(SharedCache.NAME);
                    CommitGate.of(context, "watching").attach(NodeScope.of(context), () -> {
                        log.add(cache.isDirty ? "the cache is dirty" : "the cache is clean");
                        return false;
                    });
                }

                @Override
                public void process(Record<String, String> record) {}
            };
        }
    }
}
