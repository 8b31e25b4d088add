package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commits that do not wait for calls, under TopologyTestDriver, which commits after every record.
 */
class CheckpointTest {
    private static final CommitMode CHECKPOINT = CommitMode.checkpoint(Serdes.String(), Serdes.String());

    @ParameterizedTest
    @ValueSource(strings = {"exactly_once_v2", "at_least_once"})
    void commitStoresWhatIsPendingAndForgetsWhatIsDone(String guarantee) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TopologyTestDriver driver = driver(guarantee, go, "f", "behind", 60_000)) {
            TestInputTopic<String, String> input = input(driver);
            input.pipeInput("a", "1");
            input.pipeInput("a", "2");
            input.pipeInput("b", "3");
            assertThat(driver.getKeyValueStore("f-pending").approximateNumEntries())
                    .isEqualTo(3);
            assertThat(output(driver)).isEmpty();
            go.countDown();
            assertThat(await(driver, 3))
                    .containsExactlyInAnyOrder(
                            KeyValue.pair("a", "1"), KeyValue.pair("a", "12"), KeyValue.pair("b", "3"));
            assertThat(driver.getKeyValueStore("f-pending").approximateNumEntries())
                    .isZero();
            List<Long> stored = new ArrayList<>();
            driver.createOutputTopic("tested-f-pending-changelog", new LongDeserializer(), new ByteArrayDeserializer())
                    .readKeyValuesToList()
                    .forEach(entry -> stored.add(entry.value == null ? -entry.key : entry.key));
            assertThat(stored).as("puts, then removals").startsWith(0L, 1L, 2L).contains(-1L, -2L);
        }
    }

    /**
     * The caches after a node have its results before it removes the records, whatever the order of
     * the names.
     */
    @ParameterizedTest
    @ValueSource(strings = {"a", "zgate", "kpg"})
    void nodesInAChainLoseNothing(String name) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TopologyTestDriver driver = driver("at_least_once", go, name, "b", 60_000)) {
            TestInputTopic<String, String> input = input(driver);
            for (int number = 0; number < 9; number++) {
                input.pipeInput("k" + number % 3, String.valueOf(number));
            }
            go.countDown();
            assertThat(await(driver, 9))
                    .contains(KeyValue.pair("k0", "036"), KeyValue.pair("k1", "147"), KeyValue.pair("k2", "258"));
            assertThat(driver.getKeyValueStore(name + "-pending").approximateNumEntries())
                    .isZero();
            assertThat(driver.getKeyValueStore("b-pending").approximateNumEntries())
                    .isZero();
        }
    }

    /** The call outlives any transaction. */
    @Test
    void callMayTakeLongerThanATransaction() {
        try (TopologyTestDriver driver = driver("exactly_once_v2", new CountDownLatch(0), "f", "behind", 600_000)) {
            assertThat(driver.producedTopicNames()).isEmpty();
        }
    }

    private static TopologyTestDriver driver(
            String guarantee, CountDownLatch go, String first, String second, long timeoutMillis) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> {
                            assertThat(go.await(1, TimeUnit.MINUTES)).isTrue();
                            return value;
                        },
                        KeyParallelOptions.builder(first)
                                .commitMode(CHECKPOINT)
                                .timeout(Duration.ofMillis(timeoutMillis))
                                .build()))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> value,
                        KeyParallelOptions.builder(second)
                                .commitMode(CHECKPOINT)
                                .build()))
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .aggregate(
                        () -> "",
                        (key, value, all) -> all + value,
                        Materialized.<String, String>as(Stores.inMemoryKeyValueStore("after"))
                                .withKeySerde(Serdes.String())
                                .withValueSerde(Serdes.String())
                                .withCachingDisabled())
                .toStream()
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        return new TopologyTestDriver(builder.build(), settings);
    }

    /** Results come with the timer, as between the records of a running application. */
    private static List<KeyValue<String, String>> await(TopologyTestDriver driver, int results) {
        long deadline = System.nanoTime() + 60_000_000_000L;
        List<KeyValue<String, String>> all = new ArrayList<>();
        while (all.size() < results) {
            assertThat(System.nanoTime()).as("time until there are results").isLessThan(deadline);
            driver.advanceWallClockTime(Duration.ofMillis(10));
            all.addAll(output(driver));
            Thread.onSpinWait();
        }
        return all;
    }

    private static TestInputTopic<String, String> input(TopologyTestDriver driver) {
        return driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
    }

    private static List<KeyValue<String, String>> output(TopologyTestDriver driver) {
        return driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                .readKeyValuesToList();
    }
}
