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
 * A new topic of one partition whose records go through blobs in a file store. It also runs the
 * tools' commands on the topic and the store.
 */
public final class BlobTopic {
    private final EmbeddedKafka kafka;
    private final Path store;
    private final String name;
    private final String pattern;

    /** Creates the topic in the JVM's shared broker. */
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

    /** Output and exit status of a command. */
    public record Outcome(int status, String text) {}

    /** The topic's name. */
    public String name() {
        return name;
    }

    /**
     * Settings of a client.
     *
     * @param more further settings, names and values alternating
     */
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

    /** A producer with these settings. */
    public Producer<String, String> producer(Object... more) {
        return new BlobProducer<>(settings(more), new StringSerializer(), new StringSerializer());
    }

    /** A consumer with these settings. */
    public Consumer<String, String> consumer(Object... more) {
        Map<String, Object> settings = settings(more);
        // Closing a consumer waits for its last fetch.
        settings.putIfAbsent("fetch.max.wait.ms", 50);
        return new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Polls until that many records have arrived. */
    public static List<ConsumerRecord<String, String>> read(Consumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        waitFor(count + " records").until(() -> {
            consumer.poll(Duration.ofMillis(100)).forEach(read::add);
            return read.size() >= count;
        });
        return read;
    }

    /**
     * A wait whose condition polls consumers. It runs in the caller's thread, which owns the
     * consumers, and polls without a pause.
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
     * @param out receives the output while the command runs
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
