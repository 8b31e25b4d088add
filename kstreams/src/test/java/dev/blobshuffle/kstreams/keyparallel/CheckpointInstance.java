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
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * An application whose commits do not wait for calls, in its own process; it halts when its parent
 * does. Values up to {@code answered} have their result at once. Calls for others take a while, or
 * end on command.
 */
final class CheckpointInstance {
    static final int PARTITIONS = 2;

    /** Longer than a transaction may be. */
    static final Duration SLOW = Duration.ofMillis(3_500);

    static final Duration TRANSACTION = Duration.ofSeconds(2);

    private CheckpointInstance() {}

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The marker of the last transaction in a changelog, which no standby passes. */
    private static final long MARKER = 1;

    private static final CountDownLatch ANSWER = new CountDownLatch(1);

    /**
     * Starts a process.
     *
     * @param answered values up to this one have their result at once; 0: all have one eventually
     * @param standbys copies of each task's stores on other instances
     */
    static Process start(String bootstrap, String name, String guarantee, int answered, int standbys, Path state)
            throws Exception {
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
                String.valueOf(standbys),
                state.toString());
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Sends a command to a process. */
    static void order(Process process, String order) throws Exception {
        process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Returns when a process has a current copy of another one's stores. */
    static void awaitStandby(Process process) throws Exception {
        order(process, "standby");
        if (!"standby".equals(process.inputReader(StandardCharsets.UTF_8).readLine())) {
            throw new AssertionError("the process ended before it was a standby");
        }
    }

    /**
     * Runs an instance until its standard input ends, or until the command {@code close}, which
     * closes it properly. On {@code standby} it reports when it is one; on {@code answer} the calls
     * that never end get their answers.
     */
    public static void main(String[] args) throws Exception {
        KafkaStreams streams = streams(args);
        streams.start();
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                switch (order) {
                    case "standby" -> {
                        awaitStandby(streams);
                        System.out.println("standby");
                    }
                    case "answer" -> ANSWER.countDown();
                    case "close" -> Runtime.getRuntime().halt(streams.close(PATIENCE) ? 0 : 1);
                    default -> throw new IllegalArgumentException(order);
                }
            }
        }
        Runtime.getRuntime().halt(1);
    }

    private static void awaitStandby(KafkaStreams streams) {
        try {
            Awaitility.await("a standby")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> isStandby(streams));
        } catch (ConditionTimeoutException e) {
            Runtime.getRuntime().halt(1);
        }
    }

    private static boolean isStandby(KafkaStreams streams) {
        return streams.state() == KafkaStreams.State.RUNNING
                && streams.metadataForLocalThreads().stream()
                        .anyMatch(thread -> !thread.standbyTasks().isEmpty())
                && streams.allLocalStorePartitionLags().values().stream()
                        .flatMap(lags -> lags.values().stream())
                        .allMatch(lag -> lag.offsetLag() <= MARKER);
    }

    private static KafkaStreams streams(String[] args) {
        String name = args[1];
        int answered = Integer.parseInt(args[3]);
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "application.id",
                name,
                "bootstrap.servers",
                args[0],
                "processing.guarantee",
                args[2],
                "commit.interval.ms",
                100,
                "poll.ms",
                10,
                "state.dir",
                args[5],
                "auto.offset.reset",
                "earliest",
                "main.consumer.session.timeout.ms",
                2_000,
                "main.consumer.heartbeat.interval.ms",
                500));
        settings.put("num.standby.replicas", args[4]);
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
            ANSWER.await();
        }
        return String.valueOf(value);
    }
}
