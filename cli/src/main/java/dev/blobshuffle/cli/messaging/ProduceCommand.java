package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.Serde;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging produce}: publishes the lines of standard input.
 */
@Command(
        name = "produce",
        exitCodeList = {"0:all records are in the log", "1:one may not be in the log"},
        mixinStandardHelpOptions = true,
        description = {
            "Publishes each line of standard input as a record: its bytes as they are, without the line's end."
        })
public final class ProduceCommand implements Callable<Integer> {
    private static final Duration LONGEST_FLUSH = Duration.ofMinutes(3);

    @Mixin
    private MessagingOptions options;

    @Parameters(paramLabel = "TOPIC", description = "The topic.")
    private String topic;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Separator of key and value; \\t is a tab (default: records have no key).")
    private @Nullable String separator;

    @Option(names = "--partition", paramLabel = "N", description = "The partition (default: by the key, else any).")
    private @Nullable Integer partition;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the publisher. It fences another publisher of that name (default: a new name).")
    private @Nullable String name;

    private final AtomicLong acknowledged = new AtomicLong();

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public ProduceCommand() {}

    @Override
    public Integer call() {
        return options.withMessaging("publish to topic " + topic, this::produce);
    }

    private int produce(Messaging messaging, PrintWriter out) {
        byte @Nullable [] between = separator();
        if (messaging.topics().find(topic).isEmpty()) {
            throw new InvalidSettingsException("Cannot publish to topic " + topic
                    + ": it does not exist. Create it: blobshuffle messaging topics create.");
        }
        String publisherName = name == null ? "produce-" + UUID.randomUUID() : name;
        ByteLines lines = new ByteLines(new BufferedInputStream(System.in));
        long sent = 0;
        try (Publisher<byte[], byte[]> publisher = messaging.publisher(publisherName, Serde.bytes(), Serde.bytes())) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                publish(publisher, record(line, between, lines.number()));
                sent++;
            }
            publisher.flush(LONGEST_FLUSH);
        } catch (IOException e) {
            throw failed(
                    sent,
                    new InvalidSettingsException(
                            "Cannot read standard input: " + e + ". Check the program that writes to it.", e));
        } catch (BlobShuffleException | IllegalArgumentException e) {
            throw failed(sent, e);
        }
        print(out, sent);
        return 0;
    }

    /** Publishes a record. A later publish or the flush throws its failure. */
    private void publish(Publisher<byte[], byte[]> publisher, OutgoingRecord<byte[], byte[]> record) {
        Object ignored = publisher.publish(record).thenAccept(done -> acknowledged.incrementAndGet());
    }

    private IllegalStateException failed(long sent, RuntimeException cause) {
        return new IllegalStateException(
                sent == 0
                        ? cause.getMessage()
                        : cause.getMessage() + " " + acknowledged.get() + " of " + Shown.count(sent, "record")
                                + " sent before are acknowledged.",
                cause);
    }

    private OutgoingRecord<byte[], byte[]> record(byte[] line, byte @Nullable [] between, long number) {
        byte[] key = null;
        byte[] value = line;
        if (between != null) {
            int at = indexOf(line, between);
            if (at < 0) {
                throw new InvalidSettingsException("Cannot publish line " + number + ": it has no '" + separator
                        + "' between key and value. Correct the line, or --key-separator.");
            }
            key = Arrays.copyOf(line, at);
            value = Arrays.copyOfRange(line, at + between.length, line.length);
        }
        OptionalInt to = partition == null ? OptionalInt.empty() : OptionalInt.of(partition);
        return new OutgoingRecord<>(topic, to, OptionalLong.empty(), key, value, List.of());
    }

    private byte @Nullable [] separator() {
        if (separator == null) {
            return null;
        }
        if (separator.isEmpty()) {
            throw new InvalidSettingsException("Cannot find keys: --key-separator is empty. Give a text, such as ':'.");
        }
        return separator.replace("\\t", "\t").getBytes(StandardCharsets.UTF_8);
    }

    static int indexOf(byte[] bytes, byte[] part) {
        for (int at = 0; at <= bytes.length - part.length; at++) {
            if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        return -1;
    }

    private void print(PrintWriter out, long sent) {
        if (options.log().isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("topic", topic);
            json.put("published", sent);
            out.print(Json.write(json));
        } else {
            out.println("Published " + Shown.count(sent, "record") + " to topic " + Shown.text(topic) + ".");
        }
    }
}
