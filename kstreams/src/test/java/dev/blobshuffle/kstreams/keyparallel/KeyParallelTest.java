package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions in a topology, under TopologyTestDriver, which commits after every record. */
class KeyParallelTest {
    static final List<String> ASKED = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void resultsAreThereAtTheCommit(Ordering ordering) {
        try (TopologyTestDriver driver = mapped(KeyParallel.mapValues(
                (key, value) -> value + "!", options("f").ordering(ordering).build()))) {
            TestInputTopic<String, String> input = input(driver);
            input.pipeInput("a", "1");
            input.pipeInput("b", "2");
            input.pipeInput(null, "3");
            assertThat(output(driver))
                    .containsExactly(KeyValue.pair("a", "1!"), KeyValue.pair("b", "2!"), KeyValue.pair(null, "3!"));
        }
    }

    @Test
    void promisedAndBatchedAndBulkResultsToo() {
        List<FixedKeyProcessorSupplier<String, String, String>> suppliers = List.of(
                KeyParallel.mapValuesAsync(
                        (key, value) -> CompletableFuture.completedFuture(value + "!"), KeyParallelOptions.named("f")),
                KeyParallel.batchByKey(
                        (key, values) -> values.stream()
                                .map(value -> Outcome.of(value + "!"))
                                .toList(),
                        5,
                        KeyParallelOptions.named("f")),
                KeyParallel.bulk(
                        entries -> entries.stream()
                                .map(entry -> Outcome.of(entry.value + "!"))
                                .toList(),
                        5,
                        KeyParallelOptions.named("f")));
        for (FixedKeyProcessorSupplier<String, String, String> supplier : suppliers) {
            try (TopologyTestDriver driver = mapped(supplier)) {
                input(driver).pipeInput("a", "1");
                assertThat(output(driver)).containsExactly(KeyValue.pair("a", "1!"));
            }
        }
    }

    /**
     * Caches of the same task must be flushed before the commit, whatever the gate's name: stores
     * of a node are flushed in the order of their hashes.
     */
    @ParameterizedTest
    @CsvSource({
        "gate,exactly_once_v2",
        "g1,exactly_once_v2",
        "zgate,at_least_once",
        "a,exactly_once_v2",
        "kpg,at_least_once"
    })
    void cachesBehindItAreFlushedAtTheSameCommit(String name, String guarantee) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> upstream = builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .groupByKey()
                .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("before"))
                        .withKeySerde(Serdes.String())
                        .withCachingEnabled())
                .toStream()
                .mapValues(String::valueOf);
        upstream.processValues(KeyParallel.mapValues((key, value) -> value + "a", KeyParallelOptions.named(name)))
                .processValues(
                        KeyParallel.mapValues((key, value) -> value + "b", KeyParallelOptions.named(name + "-second")))
                .groupByKey(org.apache.kafka.streams.kstream.Grouped.with(Serdes.String(), Serdes.String()))
                .aggregate(
                        () -> "",
                        (key, value, all) -> all + value,
                        Materialized.<String, String>as(Stores.inMemoryKeyValueStore("after"))
                                .withKeySerde(Serdes.String())
                                .withValueSerde(Serdes.String())
                                .withCachingEnabled())
                .toStream()
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of("processing.guarantee", guarantee))) {
            for (int i = 1; i <= 3; i++) {
                input(driver).pipeInput("k", "v");
                List<String> expected = List.of(
                        IntStream.rangeClosed(1, i).mapToObj(n -> n + "ab").reduce("", String::concat));
                assertThat(output(driver)).extracting(pair -> pair.value).isEqualTo(expected);
                assertThat(driver.createOutputTopic(
                                        "tested-after-changelog", new StringDeserializer(), new StringDeserializer())
                                .readValuesToList())
                        .as("the changelog at the same commit")
                        .isEqualTo(expected);
            }
        }
    }

    /** Records made from one record have its offset, and may be equal. */
    @Test
    void equalRecordsOfOneOffsetAreKeptApart() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMapValues(value -> List.of(value, value, value))
                .processValues(KeyParallel.mapValues((key, value) -> value + "!", KeyParallelOptions.named("f")))
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of())) {
            input(driver).pipeInput("a", "1");
            assertThat(output(driver)).extracting(pair -> pair.value).containsExactly("1!", "1!", "1!");
        }
    }

    @Test
    void callsOfOneCommitOverlapAndKeysKeepTheirOrder() {
        CountDownLatch together = new CountDownLatch(3);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMap((key, value) -> Arrays.stream(value.split(" "))
                        .map(word -> KeyValue.pair(word.substring(0, 1), word))
                        .toList())
                .process(KeyParallel.<String, String, String, String>flatMap(
                        (record, output) -> {
                            threads.add(Thread.currentThread().getName());
                            together.countDown();
                            assertThat(together.await(1, TimeUnit.MINUTES))
                                    .as("three keys at once")
                                    .isTrue();
                            output.accept(record);
                            output.accept(record.withValue(record.value() + "'"));
                        },
                        KeyParallelOptions.named("f")))
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of())) {
            input(driver).pipeInput("x", "a1 b1 c1 a2 b2 a3");
            List<KeyValue<String, String>> results = output(driver);
            assertThat(results.stream().filter(pair -> pair.key.equals("a")).map(pair -> pair.value))
                    .containsExactly("a1", "a1'", "a2", "a2'", "a3", "a3'");
            assertThat(results).hasSize(12);
            assertThat(threads).doesNotContain(Thread.currentThread().getName());
        }
    }

    @Test
    void headersOfTheFunctionAreItsOwn() {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<byte[], String> stream = builder.stream("input", Consumed.with(Serdes.ByteArray(), Serdes.String()));
        stream.process(KeyParallel.<byte[], String, byte[], String>flatMap(
                (record, output) -> {
                    record.headers().add("function", new byte[0]);
                    record.key()[0] = 7;
                },
                KeyParallelOptions.named("f")));
        stream.to("output", Produced.with(Serdes.ByteArray(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of())) {
            driver.createInputTopic("input", new ByteArraySerializer(), new StringSerializer())
                    .pipeInput(new TestRecord<>(new byte[] {1}, "v"));
            assertThat(driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                            .readRecord()
                            .headers())
                    .isEmpty();
        }
    }

    /** The handler gets the record that failed, not the one in {@code process}. */
    @Test
    void handlerGetsTheRecordThatFailed() {
        ASKED.clear();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> {
                            if (value.startsWith("bad")) {
                                throw new IllegalStateException("cannot digest");
                            }
                            return value;
                        },
                        KeyParallelOptions.named("f")))
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(
                builder,
                Map.of("processing.exception.handler", Asking.class, "processing.guarantee", "exactly_once_v2"))) {
            TestInputTopic<String, String> input = input(driver);
            input.pipeInput("a", "good");
            input.pipeInput("b", "bad");
            input.pipeInput("a", "better");
            assertThat(output(driver)).containsExactly(KeyValue.pair("a", "good"), KeyValue.pair("a", "better"));
            assertThat(ASKED).containsExactly("input-0@1 b=bad cannot digest");
        }
    }

    @Test
    void failureEndsTheTaskByDefaultAndSticks() {
        TopologyTestDriver driver = mapped(KeyParallel.mapValues(
                (key, value) -> {
                    throw new IllegalStateException("cannot digest");
                },
                KeyParallelOptions.named("f")));
        assertThatThrownBy(() -> input(driver).pipeInput("a", "1")).hasStackTraceContaining("cannot digest");
        assertThatThrownBy(() -> input(driver).pipeInput("b", "2"))
                .as("it sticks")
                .hasStackTraceContaining("cannot digest");
        closeFailed(driver);
    }

    @Test
    void errorEndsTheTaskWhateverTheOptionsSay() {
        TopologyTestDriver driver = mapped(KeyParallel.mapValues(
                (key, value) -> {
                    throw new StackOverflowError();
                },
                options("f").onFailure(FailureAction.SKIP).build()));
        assertThatThrownBy(() -> input(driver).pipeInput("a", "1")).hasRootCauseInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> input(driver).pipeInput("b", "2"))
                .as("it sticks")
                .hasRootCauseInstanceOf(StackOverflowError.class);
        closeFailed(driver);
    }

    /**
     * Closing commits if there was work to commit before the failure, and then throws the failure
     * again.
     */
    static void closeFailed(TopologyTestDriver driver) {
        try {
            driver.close();
        } catch (org.apache.kafka.streams.errors.StreamsException e) {
            assertThat(e).isNotNull();
        }
    }

    @Test
    void skippedRecordLeavesTheOthers() {
        try (TopologyTestDriver driver = mapped(KeyParallel.mapValues(
                (key, value) -> {
                    if (value.equals("bad")) {
                        throw new java.io.IOException("cannot digest");
                    }
                    return value;
                },
                options("f").onFailure(FailureAction.SKIP).build()))) {
            input(driver).pipeInput("a", "bad");
            input(driver).pipeInput("a", "good");
            assertThat(output(driver)).containsExactly(KeyValue.pair("a", "good"));
            assertThat(metric(driver, "skipped-total")).isEqualTo(1);
            assertThat(metric(driver, "forwarded-total")).isEqualTo(1);
            assertThat(metric(driver, "limited-by-input")).isEqualTo(1);
            assertThat(driver.metrics().keySet().stream()
                            .filter(name -> name.group().equals(NodeMetrics.GROUP))
                            .map(name -> name.name()))
                    .containsExactlyInAnyOrderElementsOf(NodeMetrics.NAMES);
        }
    }

    @Test
    void existingProcessorRunsUnchanged() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(KeyParallel.supplier(Doubling::new, KeyParallelOptions.named("f")))
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = driver(builder, Map.of())) {
            input(driver).pipeInput("a", "1");
            input(driver).pipeInput("a", "2");
            assertThat(output(driver))
                    .extracting(pair -> pair.value)
                    .containsExactly("1 at 0", "1 again", "2 at 1", "2 again");
        }
    }

    @Test
    void processorWithAStoreIsRefusedAtTheStart() {
        StreamsBuilder builder = new StreamsBuilder();
        ProcessorSupplier<String, String, String, String> storing = () -> new Doubling() {
            @Override
            public void init(ProcessorContext<String, String> given) {
                given.getStateStore("mine");
            }
        };
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(KeyParallel.supplier(storing, KeyParallelOptions.named("f")));
        assertThatThrownBy(() -> driver(builder, Map.of()))
                .hasStackTraceContaining("Cannot call a processor in parallel that uses the state store mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactly_once_v2", "at_least_once"})
    void callThatOutlivesACommitIsRefusedAtTheStart(String guarantee) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> value,
                        options("f").timeout(Duration.ofMinutes(2)).build()));
        assertThatThrownBy(() -> driver(builder, Map.of("processing.guarantee", guarantee)))
                .hasRootCauseInstanceOf(InvalidSettingsException.class)
                .hasStackTraceContaining(
                        guarantee.equals("at_least_once") ? "max.poll.interval.ms" : "transaction.timeout.ms");
    }

    /** A test of a processor alone has no task, so the call is waited for. */
    @Test
    void mockContextGetsTheResultsAtOnce() {
        Processor<String, String, String, String> processor = KeyParallel.<String, String, String, String>flatMap(
                        (record, output) -> output.accept(record.withValue("2")), KeyParallelOptions.named("f"))
                .get();
        MockProcessorContext<String, String> context = new MockProcessorContext<>();
        processor.init(context);
        processor.process(new Record<>("a", "1", 0));
        assertThat(context.forwarded()).hasSize(1);
        assertThat(context.forwarded().get(0).record().value()).isEqualTo("2");
        processor.close();
    }

    @Test
    void thousandStartsLeaveNoThread() {
        Set<String> before = ourThreads();
        for (int i = 0; i < 1_000; i++) {
            try (TopologyTestDriver driver =
                    mapped(KeyParallel.mapValues((key, value) -> value, KeyParallelOptions.named("f")))) {
                input(driver).pipeInput("a", "1");
                assertThat(output(driver)).hasSize(1);
            }
        }
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!before.containsAll(ourThreads())) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static Set<String> ourThreads() {
        Set<String> names = new TreeSet<>();
        Thread.getAllStackTraces().keySet().forEach(thread -> {
            if (thread.getName().startsWith("blobshuffle-f")) {
                names.add(thread.getName());
            }
        });
        return names;
    }

    private static KeyParallelOptionsBuilder options(String name) {
        return KeyParallelOptions.builder(name);
    }

    private static TopologyTestDriver mapped(FixedKeyProcessorSupplier<String, String, String> supplier) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(supplier)
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        return driver(builder, Map.of());
    }

    static TopologyTestDriver driver(StreamsBuilder builder, Map<String, ?> more) {
        return driver(builder.build(), more);
    }

    static TopologyTestDriver driver(Topology topology, Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.putAll(more);
        Properties properties = new Properties();
        properties.putAll(settings);
        return new TopologyTestDriver(topology, properties);
    }

    static TestInputTopic<String, String> input(TopologyTestDriver driver) {
        return driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
    }

    static List<KeyValue<String, String>> output(TopologyTestDriver driver) {
        return driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                .readKeyValuesToList();
    }

    private static double metric(TopologyTestDriver driver, String name) {
        return driver.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals(NodeMetrics.GROUP)
                        && metric.metricName().name().equals(name))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    /** Continues, and records its calls. */
    public static final class Asking implements ProcessingExceptionHandler {
        @Override
        @SuppressWarnings("deprecation") // Its successor came with Kafka 4.2.
        public ProcessingHandlerResponse handle(ErrorHandlerContext context, Record<?, ?> record, Exception failure) {
            ASKED.add(context.topic() + "-" + context.partition() + "@" + context.offset() + " " + record.key() + "="
                    + record.value() + " " + failure.getMessage());
            return ProcessingHandlerResponse.CONTINUE;
        }

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    /** Forwards each record twice. */
    private static class Doubling implements Processor<String, String, String, String> {
        private ProcessorContext<String, String> context;

        @Override
        public void init(ProcessorContext<String, String> given) {
            context = given;
        }

        @Override
        public void process(Record<String, String> record) {
            context.forward(record.withValue(record.value() + " at "
                    + context.recordMetadata().orElseThrow().offset()));
            context.forward(record.withValue(record.value() + " again"));
        }
    }
}
