package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging consume}: prints the records of topics.
 */
@Command(
        name = "consume",
        mixinStandardHelpOptions = true,
        description = {
            "Prints the records of topics, until it is interrupted or a limit is reached.",
            "Control characters are escaped; bytes that are not UTF-8 are printed in hexadecimal digits.",
            "Without --group it reads all partitions as a group of its own, which it deletes at the end.",
            "With --group it shares the partitions with the other members, and commits the records that it has printed.",
            "With --json it prints one object per line."
        })
public final class ConsumeCommand implements Callable<Integer> {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration LONGEST_END = Duration.ofSeconds(10);
    private static final int MOST_AT_ONCE = 500;

    @Mixin
    private MessagingOptions options;

    @Parameters(paramLabel = "TOPIC", arity = "1..*", description = "The topics.")
    private List<String> topics;

    @Option(names = "--group", paramLabel = "GROUP", description = "The group (default: a new one).")
    private @Nullable String group;

    @Option(
            names = "--from",
            paramLabel = "start|end",
            defaultValue = "start",
            description = "Where to begin if the group has no position (default: ${DEFAULT-VALUE}).")
    private String from;

    @Option(names = "--max", paramLabel = "N", description = "End after N records.")
    private @Nullable Long max;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Stop after this time without a record.")
    private @Nullable Duration idle;

    @Option(
            names = "--format",
            paramLabel = "TEXT",
            defaultValue = "%v",
            description = {
                "How to print a record: %%k key, %%v value, %%h headers, %%t topic, %%p partition, %%o position,",
                "%%T timestamp in milliseconds, \\t tab, \\n line end (default: %%v)."
            })
    private String format;

    private volatile boolean isStopped;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public ConsumeCommand() {}

    @Override
    public Integer call() {
        return options.withMessaging("read topics " + topics, this::consume);
    }

    private int consume(Messaging messaging, PrintWriter out) throws InterruptedException {
        RecordFormat shape = new RecordFormat(format);
        Subscription subscription = subscription();
        for (String topic : topics) {
            if (messaging.topics().find(topic).isEmpty()) {
                throw new InvalidSettingsException("Cannot read topic " + topic
                        + ": it does not exist. List the topics: blobshuffle messaging topics list.");
            }
        }
        Subscriber<byte[], byte[]> subscriber = messaging.subscriber(subscription, Serde.bytes(), Serde.bytes());
        CountDownLatch ended = new CountDownLatch(1);
        Thread stop = new Thread(() -> stop(subscriber, ended), "blobshuffle-consume-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try (SystemTime time = new SystemTime();
                subscriber) {
            print(subscriber, shape, out, time);
        } finally {
            if (group == null) {
                forget(messaging, subscription.group(), subscriber);
            }
            ended.countDown();
            if (!isStopped) {
                Runtime.getRuntime().removeShutdownHook(stop);
            }
        }
        return 0;
    }

    private Subscription subscription() {
        if (max != null && max < 1 || idle != null && idle.isNegative()) {
            throw new InvalidSettingsException("Cannot read topics: --max must be 1 or more, and --idle 0s or more.");
        }
        if (!from.equals("start") && !from.equals("end")) {
            throw new InvalidSettingsException("Cannot read topics from '" + from + "'. Give start or end.");
        }
        String name = group == null ? "consume-" + UUID.randomUUID() : group;
        int most = max == null ? MOST_AT_ONCE : (int) Math.min(MOST_AT_ONCE, max);
        return Subscription.of(name, topics.stream().distinct().toArray(String[]::new))
                .reset(from.equals("start") ? ResetPolicy.EARLIEST : ResetPolicy.LATEST)
                .maxRecords(most);
    }

    private void print(Subscriber<byte[], byte[]> subscriber, RecordFormat shape, PrintWriter out, SystemTime time) {
        long left = max == null ? Long.MAX_VALUE : max;
        long lastRecord = time.nanos();
        while (left > 0 && !isStopped) {
            Records<byte[], byte[]> records = subscriber.poll(POLL);
            if (records.isEmpty() && idle != null && time.nanos() - lastRecord >= idle.toNanos()) {
                return;
            }
            long printed = 0;
            for (ReceivedRecord<byte[], byte[]> record : records) {
                if (options.log().isJson()) {
                    out.print(Json.line(RecordFormat.json(record)));
                } else {
                    options.log().escapedOut().print(shape.line(record));
                }
                printed++;
            }
            out.flush();
            if (options.log().isOutputClosed()) {
                return; // The reader of the output did not receive these.
            }
            if (printed > 0) {
                left -= printed;
                lastRecord = time.nanos();
                if (group != null) {
                    subscriber.commit();
                }
            }
        }
    }

    /** Stops the subscriber. Runs on the JVM's shutdown thread. */
    private void stop(Subscriber<byte[], byte[]> subscriber, CountDownLatch ended) {
        isStopped = true;
        subscriber.wakeup();
        try {
            boolean ignored = ended.await(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void forget(Messaging messaging, String name, Subscriber<byte[], byte[]> subscriber) {
        subscriber.close();
        boolean ignored = messaging.groups().delete(name);
    }
}
