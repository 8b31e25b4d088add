package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.junit.jupiter.api.Test;

/** Nodes chosen by name, in an unchanged topology. */
class KeyParallelWrapperTest {
    private final Set<String> slowThreads = ConcurrentHashMap.newKeySet();
    private final Set<String> fastThreads = ConcurrentHashMap.newKeySet();

    @Test
    void chosenNodeIsCalledElsewhereAndTheOthersAreNot() {
        Properties settings = settings("slow-.*");
        try (TopologyTestDriver driver = driver(settings)) {
            driver.createInputTopic("input", new StringSerializer(), new StringSerializer())
                    .pipeInput("x", "a b a");
            assertThat(driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                            .readKeyValuesToList())
                    .contains(KeyValue.pair("a", "2"), KeyValue.pair("b", "1"));
        }
        assertThat(slowThreads)
                .isNotEmpty()
                .doesNotContain(Thread.currentThread().getName());
        assertThat(fastThreads).containsExactly(Thread.currentThread().getName());
    }

    @Test
    void nodeWithAStoreIsRefusedAtTheStart() {
        assertThatThrownBy(() -> driver(settings("count")))
                .hasStackTraceContaining("Cannot call a processor in parallel that uses");
    }

    @Test
    void settingIsNeededAndChecked() {
        KeyParallelWrapper wrapper = new KeyParallelWrapper();
        assertThatThrownBy(() -> wrapper.configure(Map.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.keyparallel.wrap");
        assertThatThrownBy(() -> wrapper.configure(Map.of("blobshuffle.keyparallel.wrap", "(")))
                .isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> wrapper.configure(
                        Map.of("blobshuffle.keyparallel.wrap", "none", "blobshuffle.keyparallel.orderin", "key")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("The nearest is blobshuffle.keyparallel.ordering;");
    }

    private TopologyTestDriver driver(Properties settings) {
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(settings)));
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMap(
                        (key, value) -> {
                            fastThreads.add(Thread.currentThread().getName());
                            return Arrays.stream(value.split(" "))
                                    .map(word -> KeyValue.pair(word, word))
                                    .toList();
                        },
                        Named.as("words"))
                .mapValues(
                        value -> {
                            slowThreads.add(Thread.currentThread().getName());
                            return value;
                        },
                        Named.as("slow-one"))
                .groupByKey(Grouped.with("by-key", Serdes.String(), Serdes.String()))
                .count(Named.as("count"), Materialized.with(Serdes.String(), Serdes.Long()))
                .toStream()
                .mapValues(String::valueOf)
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        return new TopologyTestDriver(builder.build(), settings);
    }

    private static Properties settings(String nodes) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.put(StreamsConfig.PROCESSOR_WRAPPER_CLASS_CONFIG, KeyParallelWrapper.class);
        settings.put("blobshuffle.keyparallel.wrap", nodes);
        return settings;
    }
}
