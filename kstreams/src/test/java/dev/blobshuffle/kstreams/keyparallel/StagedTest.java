package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Functions whose steps before and after the call use a store, under TopologyTestDriver, which
 * commits after every record.
 */
class StagedTest {
    private static final String STORE = "visits";
    private static final List<String> ASKED = Collections.synchronizedList(new ArrayList<>());

    private final Set<String> stepThreads = ConcurrentHashMap.newKeySet();
    private final Set<String> callThreads = ConcurrentHashMap.newKeySet();

    /**
     * The next record of a key is prepared after the previous one is complete, and caches are
     * flushed before the commit.
     */
    @ParameterizedTest
    @CsvSource({"gate,exactly_once_v2", "zgate,at_least_once", "a,exactly_once_v2", "kpg,at_least_once"})
    void recordOfAKeySeesWhatTheOneBeforeItWrote(String name, String guarantee) {
        try (TopologyTestDriver driver = driver(counting(name), guarantee)) {
            input(driver).pipeInput("x", "a b a a b c");
            assertThat(output(driver))
                    .containsExactlyInAnyOrder(
                            KeyValue.pair("a", "1"),
                            KeyValue.pair("a", "2"),
                            KeyValue.pair("a", "3"),
                            KeyValue.pair("b", "1"),
                            KeyValue.pair("b", "2"),
                            KeyValue.pair("c", "1"));
            assertThat(changelog(driver))
                    .as("the changelog at the same commit")
                    .containsEntry("a", 3L)
                    .containsEntry("b", 2L)
                    .containsEntry("c", 1L);
            input(driver).pipeInput("x", "a");
            assertThat(changelog(driver)).isEqualTo(Map.of("a", 4L));
            assertThat(stepThreads).containsExactly(Thread.currentThread().getName());
            assertThat(callThreads).doesNotContain(Thread.currentThread().getName());
        }
    }

    /** For example, if the store caches the service's answers. */
    @Test
    void recordWithoutARequestIsNotCalledFor() {
        ProcessorSupplier<String, String, String, String> cached = KeyParallel.staged(
                (Record<String, String> record, KeyParallel.Stage<String, String> stage) -> {
                    Long known = stage.<KeyValueStore<String, Long>>store(STORE).get(record.key());
                    if (known != null) {
                        stage.forward(record.withValue("known " + known));
                    }
                    return known == null ? Optional.of(record.value()) : Optional.empty();
                },
                request -> {
                    callThreads.add(request);
                    return (long) request.length();
                },
                (record, answer, stage) -> {
                    stage.<KeyValueStore<String, Long>>store(STORE).put(record.key(), answer);
                    stage.forward(record.withValue("asked " + answer));
                },
                KeyParallelOptions.named("f"));
        try (TopologyTestDriver driver = driver(cached, "exactly_once_v2")) {
            input(driver).pipeInput("x", "a a b a");
            assertThat(output(driver))
                    .containsExactlyInAnyOrder(
                            KeyValue.pair("a", "asked 1"),
                            KeyValue.pair("a", "known 1"),
                            KeyValue.pair("a", "known 1"),
                            KeyValue.pair("b", "asked 1"));
            assertThat(callThreads).as("calls").containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    void failureOfEachStepIsThatOfItsRecord() {
        ASKED.clear();
        ProcessorSupplier<String, String, String, String> failing = KeyParallel.staged(
                (Record<String, String> record, KeyParallel.Stage<String, String> stage) ->
                        Optional.of(failed(record.value(), "prepare")),
                request -> failed(request, "call"),
                (record, answer, stage) -> stage.forward(record.withValue(failed(answer, "end"))),
                KeyParallelOptions.named("f"));
        try (TopologyTestDriver driver = driver(failing, "at_least_once")) {
            TestInputTopic<String, String> input = input(driver);
            input.pipeInput("x", "prepare good");
            input.pipeInput("x", "call good");
            input.pipeInput("x", "end good");
            assertThat(output(driver)).extracting(pair -> pair.value).containsExactly("good", "good", "good");
            assertThat(ASKED).containsExactly("0 prepare: prepare", "1 call: call", "2 end: end");
        }
    }

    @Test
    void mockContextRunsAllSteps() {
        Processor<String, String, String, String> processor = counting("f").get();
        MockProcessorContext<String, String> context = new MockProcessorContext<>();
        KeyValueStore<String, Long> store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(STORE), Serdes.String(), Serdes.Long())
                .withLoggingDisabled()
                .build();
        store.init(context.getStateStoreContext(), store);
        processor.init(context);
        processor.process(new Record<>("a", "a", 0));
        processor.process(new Record<>("a", "a", 0));
        assertThat(context.forwarded())
                .extracting(forward -> (Object) forward.record().value())
                .containsExactly("1", "2");
        processor.close();
    }

    private ProcessorSupplier<String, String, String, String> counting(String name) {
        return KeyParallel.staged(
                (Record<String, String> record, KeyParallel.Stage<String, String> stage) -> {
                    stepThreads.add(Thread.currentThread().getName());
                    Long count = stage.<KeyValueStore<String, Long>>store(STORE).get(record.key());
                    return Optional.of(count == null ? 0 : count);
                },
                count -> {
                    callThreads.add(Thread.currentThread().getName());
                    return count + 1;
                },
                (record, count, stage) -> {
                    stepThreads.add(Thread.currentThread().getName());
                    stage.<KeyValueStore<String, Long>>store(STORE).put(record.key(), count);
                    stage.forward(record.withValue(String.valueOf(count)));
                },
                KeyParallelOptions.named(name));
    }

    private static String failed(String value, String step) {
        if (value.equals(step)) {
            throw new IllegalStateException(step);
        }
        return value;
    }

    private static TopologyTestDriver driver(
            ProcessorSupplier<String, String, String, String> supplier, String guarantee) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(
                Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(STORE), Serdes.String(), Serdes.Long())
                        .withCachingEnabled());
        builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMap((key, value) -> Arrays.stream(value.split(" "))
                        .map(word -> KeyValue.pair(word, word))
                        .toList())
                .process(supplier, STORE)
                .to("output", Produced.with(Serdes.String(), Serdes.String()));
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "tested");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put("processing.exception.handler", Asking.class);
        return new TopologyTestDriver(builder.build(), settings);
    }

    private static Map<String, Long> changelog(TopologyTestDriver driver) {
        Map<String, Long> last = new HashMap<>();
        driver.createOutputTopic("tested-" + STORE + "-changelog", new StringDeserializer(), new LongDeserializer())
                .readKeyValuesToList()
                .forEach(entry -> last.put(entry.key, entry.value));
        return last;
    }

    private static TestInputTopic<String, String> input(TopologyTestDriver driver) {
        return driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
    }

    private static List<KeyValue<String, String>> output(TopologyTestDriver driver) {
        return driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer())
                .readKeyValuesToList();
    }

    /** Continues, and records its calls. */
    public static final class Asking implements ProcessingExceptionHandler {
        @Override
        @SuppressWarnings("deprecation") // Its successor came with Kafka 4.2.
        public ProcessingHandlerResponse handle(ErrorHandlerContext context, Record<?, ?> record, Exception failure) {
            ASKED.add(context.offset() + " " + record.value() + ": " + failure.getMessage());
            return ProcessingHandlerResponse.CONTINUE;
        }

        @Override
        public void configure(Map<String, ?> configs) {}
    }
}
