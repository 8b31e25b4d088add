package dev.blobshuffle.kstreams.keyparallel;

import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.ASKED;
import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.closeFailed;
import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.driver;
import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.input;
import static dev.blobshuffle.kstreams.keyparallel.KeyParallelTest.output;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node among other nodes of its task, under TopologyTestDriver: punctuators, stores, several
 * records from one, and the end of a failed task.
 */
class NodeInTaskTest {
    /**
     * Kafka Streams also calls gates when it closes after a failure, and the two calls look the
     * same. They must not wait for records that will never be sent.
     */
    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void failedTaskDoesNotWaitForItsOtherCalls() {
        StreamsBuilder builder = new StreamsBuilder();
        CountDownLatch never = new CountDownLatch(1);
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMap((key, value) -> List.of(KeyValue.pair("a", "hangs"), KeyValue.pair("b", "fails")))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> {
                            if (value.equals("hangs")) {
                                never.await();
                            }
                            throw new IllegalStateException("cannot digest");
                        },
                        KeyParallelOptions.builder("f")
                                .onFailure(FailureAction.FAIL)
                                .build()));
        TopologyTestDriver driver = driver(builder, Map.of());
        assertThatThrownBy(() -> input(driver).pipeInput("a", "1")).hasStackTraceContaining("cannot digest");
        closeFailed(driver);
    }

    /** A punctuator's records have no topic, and their results and failures work without it. */
    @Test
    void punctuatorsAndStoresBeforeAndBehindItWorkAsEver() {
        ASKED.clear();
        StreamsBuilder builder = new StreamsBuilder();
        for (String store : List.of("front", "back")) {
            builder.addStateStore(
                    Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(store), Serdes.String(), Serdes.String()));
        }
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(() -> new Collecting("front"), "front")
                .processValues(KeyParallel.mapValues(
                        (key, value) -> {
                            if (value.equals("bad")) {
                                throw new IllegalStateException("cannot digest");
                            }
                            return value + "!";
                        },
                        KeyParallelOptions.named("f")))
                .process(() -> new Collecting("back"), "back")
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver =
                driver(builder, Map.of("processing.exception.handler", KeyParallelTest.Asking.class))) {
            input(driver).pipeInput("a", "1");
            input(driver).pipeInput("b", "bad");
            driver.advanceWallClockTime(Duration.ofSeconds(1));
            driver.advanceWallClockTime(Duration.ofSeconds(1));
            assertThat(output(driver)).containsExactly(KeyValue.pair("a", "1!"));
            assertThat(ASKED).containsExactly("null--1@-1 b=bad cannot digest");
        }
    }

    @Test
    void recordsWithoutAKeyFollowEachOtherIfTheyShall() {
        AtomicInteger underWay = new AtomicInteger();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMap((key, value) -> IntStream.range(0, 20)
                        .mapToObj(number -> KeyValue.<String, String>pair(null, "" + number))
                        .toList())
                .processValues(KeyParallel.mapValues(
                        (key, value) -> {
                            assertThat(underWay.incrementAndGet())
                                    .as("calls under way")
                                    .isEqualTo(1);
                            Thread.yield();
                            underWay.decrementAndGet();
                            return value;
                        },
                        KeyParallelOptions.builder("f")
                                .nullKeys(NullKeys.SERIAL)
                                .build()))
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of())) {
            input(driver).pipeInput("a", "1");
            assertThat(output(driver))
                    .extracting(pair -> Integer.parseInt(pair.value))
                    .hasSize(20)
                    .isSorted();
        }
    }

    /** Stores values, and forwards and deletes them in a punctuator. */
    private static final class Collecting implements Processor<String, String, String, String> {
        private final String name;
        private KeyValueStore<String, String> store;

        private Collecting(String name) {
            this.name = name;
        }

        @Override
        public void init(ProcessorContext<String, String> context) {
            store = context.getStateStore(name);
            context.schedule(Duration.ofSeconds(1), PunctuationType.WALL_CLOCK_TIME, now -> {
                List<KeyValue<String, String>> all = new ArrayList<>();
                try (KeyValueIterator<String, String> entries = store.all()) {
                    entries.forEachRemaining(all::add);
                }
                for (KeyValue<String, String> entry : all) {
                    store.delete(entry.key);
                    context.forward(new Record<>(entry.key, entry.value, now));
                }
            });
        }

        @Override
        public void process(Record<String, String> record) {
            store.put(record.key(), record.value());
        }
    }
}
