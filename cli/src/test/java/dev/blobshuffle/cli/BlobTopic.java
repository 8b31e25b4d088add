package dev.blobshuffle.cli;

import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import picocli.CommandLine;

/**
 * A new topic of one partition whose records go through blobs in a file store, and the commands
 * that look after both.
 */
public final class BlobTopic {
    private final EmbeddedKafka kafka;
    private final Path store;
    private final String name;
    private final String pattern;

    /** Creates the topic in the broker that the JVM shares. */
    public BlobTopic(Path store, String kind) {
        this(EmbeddedKafka.shared(), store, kind);
    }

    /** Creates the topic. */
    public BlobTopic(EmbeddedKafka kafka, Path store, String kind) {
        this.kafka = kafka;
        this.store = store;
        name = kind + "-" + System.nanoTime();
        pattern = kind + "-.*";
        kafka.createTopic(name, 1);
    }

    /** What a command said, and its status. */
    public record Outcome(int status, String text) {}

    /** The topic's name. */
    public String name() {
        return name;
    }

    /** Settings of a client, with further ones as names and values in turn. */
    public Map<String, Object> settings(Object... more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "blobshuffle.store",
                store.toUri() + "?fsync=none",
                "blobshuffle.topics.include",
                pattern));
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }

    /** A producer with such settings. */
    public Producer<String, String> producer(Object... more) {
        return new BlobProducer<>(settings(more), new StringSerializer(), new StringSerializer());
    }

    /** A consumer with such settings. */
    public Consumer<String, String> consumer(Object... more) {
        Map<String, Object> settings = settings(more);
        settings.putIfAbsent("fetch.max.wait.ms", 50); // A consumer that is closed waits for its last fetch.
        return new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Reads until so many records have come. */
    public static List<ConsumerRecord<String, String>> read(Consumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        waitFor(count + " records").until(() -> {
            consumer.poll(Duration.ofMillis(100)).forEach(read::add);
            return read.size() >= count;
        });
        return read;
    }

    /**
     * A wait for a condition that polls consumers: it stays in the thread that owns them, and looks
     * again at once.
     */
    public static ConditionFactory waitFor(String what) {
        return Awaitility.await(what)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofMinutes(2));
    }

    /**
     * Runs a command with the brokers and a store.
     *
     * @param out takes what it says, as it says it
     */
    public Outcome run(Object command, Path from, StringWriter out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--bootstrap", kafka.bootstrapServers(), "--store", from.toUri().toString()));
        arguments.addAll(Arrays.asList(more));
        PrintWriter writer = new PrintWriter(out);
        int status = new CommandLine(command).setOut(writer).setErr(writer).execute(arguments.toArray(String[]::new));
        return new Outcome(status, out.toString());
    }
}
