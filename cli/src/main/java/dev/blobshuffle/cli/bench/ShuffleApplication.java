package dev.blobshuffle.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;

/**
 * The application of the minimal shuffle benchmark (BlobShuffle paper, section 5.1), one instance in a process of its own: reads values without key, takes the first 8 bytes
 * as key, writes the time over the last 8, shuffles, and looks at each record once. Ordinary Kafka Streams code: settings alone decide how it shuffles.
 *
 * <p>Standard output: {@code count N} several times a second, N records after the shuffle so far; at the end {@code final N CHECKSUM}. It ends in order when it reads {@code
 * stop}, and at once when its standard input ends.
 */
final class ShuffleApplication {
    /** Prefix of the settings that are this application's own. */
    static final String OWN = "bench.";

    private static final Duration REPORT_INTERVAL = Duration.ofMillis(50);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);

    private final List<Tally> tallies = new CopyOnWriteArrayList<>();

    private ShuffleApplication() {}

    /**
     * Runs an instance.
     *
     * @param args one: the file with the settings of Kafka Streams, and {@code bench.input}, {@code bench.partitions}, {@code bench.output} (empty: none)
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Properties settings = new Properties();
        try (InputStream in = Files.newInputStream(Path.of(args[0]))) {
            settings.load(in);
        }
        new ShuffleApplication().run(settings);
    }

    private void run(Properties settings) throws IOException, InterruptedException {
        KafkaStreams streams = new KafkaStreams(topology(settings), kafkas(settings));
        CountDownLatch end = new CountDownLatch(1);
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
            throw new AssertionError(failure);
        });
        Thread reporter = new Thread(() -> report(end), "report");
        reporter.setDaemon(true);
        reporter.start();
        streams.start();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (orders.readLine() == null) {
            Runtime.getRuntime().halt(1);
        }
        boolean isClosed = streams.close(CLOSE_TIMEOUT);
        end.countDown();
        reporter.join();
        System.out.println("final " + count() + " "
                + tallies.stream().mapToLong(Tally::checksum).sum());
        System.out.flush();
        System.exit(isClosed ? 0 : 1);
    }

    private static Properties kafkas(Properties settings) {
        Properties kafkas = new Properties();
        settings.stringPropertyNames().stream()
                .filter(name -> !name.startsWith(OWN))
                .forEach(name -> kafkas.setProperty(name, settings.getProperty(name)));
        return kafkas;
    }

    private Topology topology(Properties settings) {
        Serde<byte[]> bytes = Serdes.ByteArray();
        StreamsBuilder builder = new StreamsBuilder();
        KStream<byte[], byte[]> shuffled = builder.stream(
                        settings.getProperty(OWN + "input"), Consumed.with(bytes, bytes))
                .map((none, value) -> {
                    Value.stamp(value, System.currentTimeMillis());
                    return KeyValue.pair(Arrays.copyOf(value, Value.KEY_BYTES), value);
                })
                .repartition(Repartitioned.<byte[], byte[]>as("shuffle")
                        .withKeySerde(bytes)
                        .withValueSerde(bytes)
                        .withNumberOfPartitions(Integer.parseInt(settings.getProperty(OWN + "partitions"))));
        String output = settings.getProperty(OWN + "output", "");
        if (output.isEmpty()) {
            shuffled.process(() -> new Tally(tallies));
        } else {
            shuffled.<byte[], byte[]>process(() -> new Tally(tallies)).to(output, Produced.with(bytes, bytes));
        }
        return builder.build();
    }

    private long count() {
        return tallies.stream().mapToLong(Tally::count).sum();
    }

    private void report(CountDownLatch end) {
        try {
            do {
                System.out.println("count " + count());
            } while (!end.await(REPORT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
