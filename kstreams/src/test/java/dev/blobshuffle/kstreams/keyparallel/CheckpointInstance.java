package dev.blobshuffle.kstreams.keyparallel;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/**
 * An application whose commits do not wait for calls, in a process of its own; it halts when its parent does. Values up to {@code answered} have their result at once; calls for others take a
 * while, or never end.
 */
final class CheckpointInstance {
    static final int PARTITIONS = 2;

    /** Longer than a transaction may be. */
    static final Duration SLOW = Duration.ofMillis(3_500);

    static final Duration TRANSACTION = Duration.ofSeconds(2);

    private CheckpointInstance() {}

    /** Starts a process. @param answered values up to this one have their result at once; 0: all have one sooner or later */
    static Process start(String bootstrap, String name, String guarantee, int answered, Path state) throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                CheckpointInstance.class.getName(),
                bootstrap,
                name,
                guarantee,
                String.valueOf(answered),
                state.toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Runs an instance until its standard input ends; then it closes in order. */
    public static void main(String[] args) throws Exception {
        KafkaStreams streams = streams(args[0], args[1], args[2], Integer.parseInt(args[3]), args[4]);
        streams.start();
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String order = orders.readLine();
            Runtime.getRuntime().halt("close".equals(order) && streams.close(Duration.ofSeconds(60)) ? 0 : 1);
        }
    }

    private static KafkaStreams streams(String bootstrap, String name, String guarantee, int answered, String state) {
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "application.id",
                name,
                "bootstrap.servers",
                bootstrap,
                "processing.guarantee",
                guarantee,
                "commit.interval.ms",
                100,
                "poll.ms",
                10,
                "state.dir",
                state,
                "auto.offset.reset",
                "earliest",
                "main.consumer.session.timeout.ms",
                2_000,
                "main.consumer.heartbeat.interval.ms",
                500));
        settings.put("producer.transaction.timeout.ms", (int) TRANSACTION.toMillis());
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(name + "-input", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValues(
                        (key, value) -> call(Integer.parseInt(value), answered),
                        KeyParallelOptions.builder("slow")
                                .commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String()))
                                .maxConcurrency(8)
                                .timeout(Duration.ofMinutes(5))
                                .build()))
                .to(name + "-output", Produced.with(Serdes.String(), Serdes.String()));
        return new KafkaStreams(builder.build(), settings);
    }

    private static String call(int value, int answered) throws InterruptedException {
        if (answered == 0 && value == CheckpointIT.ANSWERED + 1) {
            boolean ignored = new CountDownLatch(1).await(SLOW.toMillis(), TimeUnit.MILLISECONDS);
        } else if (answered > 0 && value > answered) {
            new CountDownLatch(1).await();
        }
        return String.valueOf(value);
    }
}
