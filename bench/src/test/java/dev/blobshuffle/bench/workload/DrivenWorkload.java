package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;

/**
 * A workload under Kafka Streams' test driver: its own source through its own topology, and its own
 * check of what came out.
 */
final class DrivenWorkload implements Observed {
    private static final long START = 1_700_000_000_000L;

    private final Topics topics = new Topics("driven", "input");
    private final Probes probes = new Probes();
    private final Map<String, List<TestRecord<byte[], byte[]>>> written = new HashMap<>();
    private final Expectation expectation;
    private double dropped;

    private DrivenWorkload(Expectation expectation) {
        this.expectation = expectation;
    }

    /**
     * Runs a workload.
     *
     * @param isSent whether a record of the input, by its number, is really sent
     */
    static DrivenWorkload run(BenchWorkload workload, Parameters parameters, int records, LongPredicate isSent) {
        DrivenWorkload run = new DrivenWorkload(workload.expectation(parameters));
        Properties settings = new Properties();
        settings.setProperty("application.id", "driven");
        settings.setProperty("bootstrap.servers", "none:1");
        StreamsBuilder builder = new StreamsBuilder();
        workload.define(builder, parameters, run.topics, run.probes);
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(settings), settings)) {
            workload.prepared(parameters)
                    .forEach((topic, messages) -> messages.forEach(message ->
                            run.input(driver, run.topics.own(topic)).pipeInput(message.key(), message.value(), START)));
            Source source = workload.source(parameters, Timeline.of(parameters, START));
            TestInputTopic<byte[], byte[]> input = run.input(driver, run.topics.input());
            for (long i = 0; i < records; i++) {
                Message message = source.next();
                run.expectation.add(message);
                if (isSent.test(i)) {
                    input.pipeInput(message.key(), message.value().clone(), message.timestamp());
                }
            }
            driver.producedTopicNames()
                    .forEach(topic -> run.written.put(
                            topic,
                            driver.createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                                    .readRecordsToList()));
            run.dropped = driver.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("dropped-records-total"))
                    .mapToDouble(metric -> ((Number) metric.getValue().metricValue()).doubleValue())
                    .sum();
        }
        return run;
    }

    private TestInputTopic<byte[], byte[]> input(TopologyTestDriver driver, String topic) {
        return driver.createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Forgets everything that was written to a topic with the key that was written last. */
    void forgetLastKey(String topic) {
        List<TestRecord<byte[], byte[]>> records = new ArrayList<>(written(topic));
        byte[] key = records.get(records.size() - 1).key();
        records.removeIf(record -> Arrays.equals(record.key(), key));
        written.put(topics.own(topic), records);
    }

    Expectation expectation() {
        return expectation;
    }

    Optional<String> problem() {
        return expectation.problem(this);
    }

    List<TestRecord<byte[], byte[]>> written(String topic) {
        return written.getOrDefault(topics.own(topic), new ArrayList<>());
    }

    @Override
    public Topics topics() {
        return topics;
    }

    @Override
    public long count() {
        return probes.count();
    }

    @Override
    public long checksum() {
        return probes.checksum();
    }

    @Override
    public long dropped() {
        return Math.round(dropped);
    }

    @Override
    public void read(String topic, BiConsumer<byte[], byte[]> receiver) {
        written.getOrDefault(topic, List.of())
                .forEach(record -> receiver.accept(
                        record.key() == null ? new byte[0] : record.key(),
                        record.value() == null ? new byte[0] : record.value()));
    }
}
