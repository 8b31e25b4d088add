package dev.blobshuffle.cli.skip;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.brokers.ClientFailure;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafka.internal.log.MissingBlobs;
import dev.blobshuffle.kafka.internal.position.SkipGroup;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle skip}: moves a group past notifications whose blobs are lost. Their records
 * are lost too, so it lists them first. It changes nothing without {@code --execute}.
 */
@Command(
        name = "skip",
        exitCodeList = {"0:done", "1:the brokers or the store do not answer: nothing is skipped"},
        mixinStandardHelpOptions = true,
        description = {
            "Gives up unread records of a topic whose blobs are not in the store any more.",
            "An application that stopped with BlobMissingException can then continue. The records are lost; its group reads all",
            "others.",
            "With --offsets it also gives up notifications there that refer to another store or cannot be decoded.",
            "Without --execute it only lists them. The application must be stopped."
        })
public final class SkipCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Mixin
    private StoreOption storeOption;

    @Option(
            names = "--group",
            required = true,
            paramLabel = "GROUP",
            description = "The group.id, or the application.id of a Kafka Streams application.")
    private String group;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
    private String topic;

    @Option(names = "--partition", paramLabel = "N", split = ",", description = "The partitions (default: all).")
    private List<Integer> partitions = new ArrayList<>();

    @Option(
            names = "--offsets",
            paramLabel = "P:N[-M]",
            split = ",",
            description = {
                "Offsets at which notifications are given up that refer to another store or cannot be decoded.",
                "Readable notifications there stay."
            })
    private List<String> offsets = new ArrayList<>();

    @Option(names = "--execute", description = "Give them up instead of only listing them.")
    private boolean executes;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public SkipCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        int status = ExitStatus.FAILED;
        try (SystemTime time = new SystemTime()) {
            // Report wrong usage before unreachable brokers.
            String uri = storeOption.uri(brokers.config());
            return skip(uri, brokers.client(), time);
        } catch (ExecutionException e) {
            err.println("Cannot skip: the brokers at " + brokers.bootstrap() + " say " + e.getCause()
                    + ". Check --bootstrap, --config, --group and --topic, and that the application is stopped.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot skip: interrupted. Run it again.");
        } catch (KafkaException e) {
            err.println(ClientFailure.text(e));
            status = ExitStatus.of(e);
        } catch (BlobShuffleException | IllegalStateException e) {
            err.println(e.getMessage());
            status = ExitStatus.of(e);
        }
        err.flush();
        return status;
    }

    private int skip(String uri, Map<String, Object> client, SystemTime time)
            throws ExecutionException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Admin admin = Admin.create(client);
                BlobStore store = BlobStores.openUnchecked(
                        uri, StoreContext.unmetered(time).existing())) {
            GroupPosition position = GroupPosition.of(admin, group, topic, Set.copyOf(new HashSet<>(partitions)));
            List<MissingBlobs.Losses> lost = MissingBlobs.find(
                    position.starts(),
                    NamedOffsets.parse(offsets),
                    new LogScan(client, "read_uncommitted", time),
                    store,
                    new StopSignal(time));
            if (executes) {
                position.requireStopped();
            }
            if (executes && !lost.isEmpty()) {
                position.giveUp(lost, admin);
            }
            Optional<Instant> notedUntil = executes && isForOperators(lost)
                    ? NoteRetention.of(admin).map(Instant.ofEpochMilli(time.wallMillis())::plus)
                    : Optional.empty();
            out.print(json ? json(position, lost, notedUntil) : text(position, lost, notedUntil));
            out.flush();
            return 0;
        }
    }

    private static boolean isForOperators(List<MissingBlobs.Losses> lost) {
        return lost.stream().anyMatch(losses -> losses.readers().contains(MissingBlobs.Reader.OPERATOR));
    }

    private String text(GroupPosition position, List<MissingBlobs.Losses> lost, Optional<Instant> notedUntil) {
        StringBuilder text = new StringBuilder();
        long records = 0;
        long more = 0;
        for (MissingBlobs.Losses losses : lost) {
            for (MissingBlobs.Loss loss : losses.losses()) {
                records += loss.records();
                line(
                        text,
                        losses.partition() + ": offsets " + loss.from() + " to " + (loss.to() - 1) + ", "
                                + loss.notifications() + " notifications " + what(loss));
            }
            more += losses.more();
        }
        if (lost.isEmpty()) {
            line(
                    text,
                    "Nothing is missing in " + position.starts().size() + " partitions of " + topic + " from where "
                            + group + " stands.");
            return text.toString();
        }
        line(
                text,
                executes
                        ? records + " records are given up. Start " + group + " again; it reads everything else."
                        : records + " records would be given up. Nothing was changed; run it with --execute.");
        if (executes && isForOperators(lost)) {
            line(text, duration(notedUntil));
        }
        if (more > 0) {
            line(text, more + " more notifications cannot be read. Run it again when the group has passed these.");
        }
        return text.toString();
    }

    private static String what(MissingBlobs.Loss loss) {
        String size = "of " + loss.records() + " records, " + loss.bytes() + " bytes; ";
        return switch (loss.reason()) {
            case MISSING -> size + "missing is, for example, blob " + loss.example() + ".";
            case FOREIGN -> size + "they lead to another store, for example to blob " + loss.example() + ".";
            case UNDECODABLE -> "that cannot be decoded; how many records they stand for is unknown.";
        };
    }

    /**
     * The time limit of the note for explicit operators. It is not in the group's own commits,
     * which last as long as the group.
     */
    private String duration(Optional<Instant> until) {
        return "Start it " + until.map(end -> "before " + end).orElse("soon")
                + ": brokers delete the note in group " + SkipGroup.of(group)
                + " if no client writes it for offsets.retention.minutes"
                + (until.isPresent() ? "" : ", which this principal cannot read")
                + ". A running application rewrites it every hour until it has passed the offsets.";
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append(System.lineSeparator());
    }

    private String json(GroupPosition position, List<MissingBlobs.Losses> lost, Optional<Instant> notedUntil) {
        List<Map<String, Object>> ranges = new ArrayList<>();
        long more = 0;
        for (MissingBlobs.Losses losses : lost) {
            for (MissingBlobs.Loss loss : losses.losses()) {
                Map<String, Object> range = new LinkedHashMap<>();
                range.put("partition", losses.partition().partition());
                range.put("reason", loss.reason().name().toLowerCase(Locale.ROOT));
                range.put("first_offset", loss.from());
                range.put("last_offset", loss.to() - 1);
                range.put("notifications", loss.notifications());
                range.put("records", loss.records());
                range.put("bytes", loss.bytes());
                BlobId example = loss.example();
                if (example != null) {
                    range.put("example_blob", example.toString());
                }
                ranges.add(range);
            }
            more += losses.more();
        }
        Map<String, Object> skip = new LinkedHashMap<>();
        skip.put("group", group);
        skip.put("topic", topic);
        skip.put("partitions", position.starts().size());
        skip.put("executed", executes && !lost.isEmpty());
        skip.put("ranges", ranges);
        skip.put("more_notifications", more);
        notedUntil.ifPresent(until -> skip.put("noted_until", until.toString()));
        return Json.write(Map.of("skip", skip));
    }
}
