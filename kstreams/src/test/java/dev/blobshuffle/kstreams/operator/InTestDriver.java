package dev.blobshuffle.kstreams.operator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;

/** A topology in TopologyTestDriver, fed with texts. Owned by the test thread. */
final class InTestDriver implements AutoCloseable {
    private final TopologyTestDriver driver;

    private InTestDriver(TopologyTestDriver driver) {
        this.driver = driver;
    }

    /** Starts a topology. */
    static InTestDriver of(Topology topology, Consumer<Map<String, Object>> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        settings.put(
                StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG,
                BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class);
        more.accept(settings);
        Properties properties = new Properties();
        properties.putAll(settings);
        return new InTestDriver(new TopologyTestDriver(topology, properties));
    }

    /** Feeds one record. */
    void pipe(String topic, @Nullable String key, @Nullable String value, long timestamp) {
        pipe(topic, key, value, timestamp, new RecordHeaders());
    }

    void pipe(String topic, @Nullable String key, @Nullable String value, long timestamp, Headers headers) {
        driver.createInputTopic(topic, new StringSerializer(), new StringSerializer())
                .pipeInput(new TestRecord<>(key, value, headers, timestamp));
    }

    /** All results since the last call. */
    List<TestRecord<String, String>> read(String topic) {
        return read(topic, new StringDeserializer());
    }

    <V> List<TestRecord<String, V>> read(String topic, Deserializer<V> values) {
        return driver.createOutputTopic(topic, new StringDeserializer(), values).readRecordsToList();
    }

    /** Feeds one value, and returns its result. */
    String stringsThrough(String input, String value, String output) {
        try (this) {
            pipe(input, "k", value, 0);
            return read(output).get(0).value();
        }
    }

    TopologyTestDriver driver() {
        return driver;
    }

    @Override
    public void close() {
        driver.close();
    }
}
