package dev.blobshuffle.cli.tail;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.messaging.Shown;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.log.LogScan;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle tail}: prints the newest records of a shuffled topic, from notifications and
 * blobs.
 */
@Command(
        name = "tail",
        exitCodeList = {"0:done", "1:some records or the topic cannot be read"},
        mixinStandardHelpOptions = true,
        description = {
            "Shows the newest committed records of a shuffled topic: offsets, positions, times and sizes.",
            "Shows keys and values only with --show-data. Escapes control characters.",
            "Without a store it shows notifications instead of their records. Joins no group and commits nothing."
        })
public final class TailCommand implements Callable<Integer> {
    private static final int PARTLY = 1;
    private static final Duration LOOK = Duration.ofMillis(500);

    /** Additional entries per requested record, because entries may be transaction markers. */
    private static final int MARKERS = 2;

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
    private String topic;

    @Option(names = "--partition", paramLabel = "N", split = ",", description = "Its partitions (default: all).")
    private @Nullable Set<Integer> partitions;

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "10",
            description = "The last N records of each partition (default: ${DEFAULT-VALUE}).")
    private int last;

    @Option(
            names = "--follow",
            description = "Continues with new records until it is interrupted: at most --last per partition and read.")
    private boolean follows;

    @Option(names = "--times", paramLabel = "N", description = "With --follow, stop after N reads.")
    private @Nullable Integer times;

    @Mixin
    private StoreOption storeOption;

    @Option(names = "--show-data", description = "Prints keys and values too.")
    private boolean showsData;

    @Option(
            names = "--key-serde",
            paramLabel = "NAME",
            defaultValue = "string",
            converter = Serde.Names.class,
            description =
                    "How keys are decoded: string, bytes, short, integer, long, float, double, uuid, boolean (default: ${DEFAULT-VALUE}).")
    private Serde keySerde;

    @Option(
            names = "--value-serde",
            paramLabel = "NAME",
            defaultValue = "string",
            converter = Serde.Names.class,
            description = "How values are decoded (default: ${DEFAULT-VALUE}).")
    private Serde valueSerde;

    @Option(
            names = "--longest",
            paramLabel = "N",
            defaultValue = "200",
            description = "Maximum characters of a key or value on a line (default: ${DEFAULT-VALUE}).")
    private int longest;

    @Option(names = "--json", description = "Prints an object per line.")
    private boolean json;

    private boolean isPartial;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TailCommand() {}

    @Override
    public Integer call() {
        return brokers.ask(spec.commandLine().getErr(), () -> "Cannot show topic " + Shown.text(topic), time -> {
            if (last < 1 || longest < 1 || (times != null && times < 1)) {
                throw new InvalidSettingsException("--last is " + last + ", --longest " + longest
                        + (times == null ? "" : ", --times " + times) + ". Give 1 or more.");
            }
            return run(brokers.client(), time);
        });
    }

    private int run(Map<String, Object> client, SystemTime time) throws ExecutionException, InterruptedException {
        StopSignal waiting = new StopSignal(time);
        LogScan scan = new LogScan(client, "read_committed", time);
        try (Admin admin = Admin.create(client)) {
            TopicTail tail = TopicTail.of(admin, scan, topic, partitions == null ? Set.of() : partitions);
            if (storeOption.named(brokers.config()).isEmpty()) {
                show(tail, Optional.empty(), waiting);
            } else {
                Optional<String> source = brokers.config().value(EncryptionSettings.KEYS.name());
                Keyring keyring = Keyring.open(source, source.map(any -> Keyring.WRITE_PLAIN));
                try (BlobStore store = BlobStores.openUnchecked(
                        storeOption.uri(brokers.config()),
                        StoreContext.unmetered(time).existing())) {
                    show(tail, Optional.of(new SegmentRecords(store, keyring, waiting)), waiting);
                }
            }
        }
        return isPartial ? PARTLY : 0;
    }

    private void show(TopicTail tail, Optional<SegmentRecords> segments, StopSignal waiting)
            throws ExecutionException, InterruptedException {
        print(tail.last(last, MARKERS * last), segments);
        for (int i = 1; follows && (times == null || i < times); i++) {
            if (spec.commandLine().getOut().checkError()) {
                return;
            }
            waiting.rest(LOOK);
            print(tail.since(last), segments);
        }
    }

    private void print(Map<Integer, List<TailedEntry>> entries, Optional<SegmentRecords> segments)
            throws InterruptedException {
        for (List<TailedEntry> partition : entries.values()) {
            long records = partition.stream().mapToLong(TailedEntry::records).sum();
            for (TailedEntry entry : partition) {
                int skipped = (int) Math.max(0, Math.min(entry.records() - 1, records - last));
                records -= entry.records();
                print(entry, skipped, segments);
            }
        }
        spec.commandLine().getOut().flush();
    }

    private void print(TailedEntry entry, int skipped, Optional<SegmentRecords> segments) throws InterruptedException {
        Optional<Notification> notification = entry.notification();
        if (entry.failure().isPresent()) {
            unreadable(entry, entry.failure().get());
        } else if (notification.isEmpty()) {
            print(new TailedRecord(
                    entry.record().partition(),
                    entry.record().offset(),
                    0,
                    1,
                    Optional.empty(),
                    entry.record().timestamp(),
                    entry.record().key(),
                    entry.record().value()));
        } else if (segments.isEmpty()) {
            print(entry, notification.get());
        } else {
            try {
                segments.get().read(entry, notification.get(), skipped, this::print);
            } catch (CompletionException e) {
                unreadable(entry, String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage()));
            } catch (BlobShuffleException e) {
                unreadable(entry, String.valueOf(e.getMessage()));
            }
        }
    }

    private void print(TailedRecord record) {
        TailedRecord.Shape shape = new TailedRecord.Shape(showsData, keySerde, valueSerde, longest);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.print(Json.line(record.json(shape)));
        } else {
            out.println(record.line(shape));
        }
    }

    private void print(TailedEntry entry, Notification notification) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("partition", entry.record().partition());
            object.put("offset", entry.record().offset());
            object.put("timestamp_ms", entry.record().timestamp());
            object.put("blob", notification.blob().toString());
            object.put("records", notification.records());
            object.put("segment_bytes", notification.segmentLength());
            out.print(Json.line(object));
        } else {
            out.println(
                    entry.record().partition() + "  offset " + entry.record().offset() + "  "
                            + Instant.ofEpochMilli(entry.record().timestamp()) + "  notification of "
                            + Shown.count(notification.records(), "record") + ", "
                            + Shown.bytes(notification.segmentLength()) + "  blob " + notification.blob());
        }
    }

    private void unreadable(TailedEntry entry, String reason) {
        isPartial = true;
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            object.put("partition", entry.record().partition());
            object.put("offset", entry.record().offset());
            object.put("failure", reason);
            out.print(Json.line(object));
        } else {
            out.println(entry.record().partition() + "  offset "
                    + entry.record().offset() + "  UNREADABLE: " + Shown.text(reason));
        }
    }
}
