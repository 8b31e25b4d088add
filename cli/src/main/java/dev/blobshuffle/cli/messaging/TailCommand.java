package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.BatchOrigin;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging tail}: prints the newest batches of a topic in the log. Exit status:
 * 0 done, 2 when the log does not answer.
 */
@Command(
        name = "tail",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the newest batches of a topic by its log: who wrote them, when, their sizes and blobs.",
            "Belongs to no group and moves none. Reads keys and values only with --show-data.",
            "With --json it prints one object per line."
        })
public final class TailCommand implements Callable<Integer> {
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final int MOST_AT_ONCE = 100;
    private static final long MOST_BYTES = 4 << 20;

    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "TOPIC", description = "The topic.")
    private String name;

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "10",
            description = "The last N batches (default: ${DEFAULT-VALUE}).")
    private int last;

    @Option(names = "--follow", description = "Continues with new batches until it is interrupted.")
    private boolean follows;

    @Option(names = "--show-data", description = "Reads the records and prints their keys and values too.")
    private boolean showsData;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "10",
            description = "With --show-data, the first N records of each batch (default: ${DEFAULT-VALUE}).")
    private int records;

    @Mixin
    private StoreOption storeOption;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TailCommand() {}

    @Override
    public Integer call() {
        return options.withLog("show topic " + name, this::tail);
    }

    private int tail(OpenLog log, PrintWriter out) throws InterruptedException {
        if (last < 0 || records < 0) {
            throw new InvalidSettingsException("Cannot show topic " + name + ": --last is " + last + " and --records "
                    + records + ". Give 0 or more.");
        }
        LogTopic topic = log.topic(name);
        if (!showsData) {
            return show(log, topic, Optional.empty(), out);
        }
        Optional<String> keys = options.config().value(EncryptionSettings.KEYS.name());
        Keyring keyring = Keyring.open(keys, keys.map(any -> Keyring.WRITE_PLAIN));
        try (BlobStore store = BlobStores.openUnchecked(
                storeOption.uri(options.config()),
                StoreContext.unmetered(log.time()).existing())) {
            return show(log, topic, Optional.of(new TailedRecords(log, store, keyring, records)), out);
        }
    }

    private int show(OpenLog log, LogTopic topic, Optional<TailedRecords> data, PrintWriter out)
            throws InterruptedException {
        TopicState state = state(log, topic);
        long next = Math.max(state.start(), state.next() - last);
        long end = state.next();
        while (follows || next < end) {
            List<SequencedBatch> batches = read(log, topic, next);
            if (batches.isEmpty()) {
                log.rest(LOOK);
            } else {
                print(log, batches, data, out);
                next = batches.get(batches.size() - 1).sequence() + 1;
            }
        }
        if (state.isStaged() && !options.isJson() && !follows) {
            out.println("More batches are committed and wait for their place in the topic.");
        } else if (end == state.start() && !options.isJson() && !follows) {
            out.println("Topic " + Shown.text(name) + " holds no batch.");
        }
        return 0;
    }

    private TopicState state(OpenLog log, LogTopic topic) {
        return Optional.ofNullable(log.states(List.of(topic)).get(topic.number()))
                .orElseThrow(() -> new TopicAbsentException("Cannot show topic " + name
                        + ": it was deleted. List the topics: blobshuffle messaging topics list."));
    }

    /** Reads batches, and skips those that retention deletes meanwhile. */
    private List<SequencedBatch> read(OpenLog log, LogTopic topic, long from) {
        try {
            return read(log, topic.number(), from);
        } catch (PositionTrimmedException e) {
            return read(log, topic.number(), state(log, topic).start());
        }
    }

    private List<SequencedBatch> read(OpenLog log, int topic, long from) {
        ReadRequest request = new ReadRequest(topic, from, MOST_AT_ONCE, MOST_BYTES, Optional.empty());
        return log.await(log.log().read(request), "read topic " + name);
    }

    private void print(OpenLog log, List<SequencedBatch> batches, Optional<TailedRecords> data, PrintWriter out) {
        Map<Long, BatchOrigin> origins = log
                .await(
                        log.log()
                                .origins(
                                        batches.stream().map(SequencedBatch::id).collect(Collectors.toSet())),
                        "find the writers of batches")
                .stream()
                .collect(Collectors.toMap(BatchOrigin::id, Function.identity()));
        for (SequencedBatch each : batches) {
            TailedBatch batch = TailedBatch.of(each, Optional.ofNullable(origins.get(each.id())));
            List<TailedRecords.Shape> shown =
                    data.map(reader -> reader.of(name, batch)).orElse(List.of());
            if (options.isJson()) {
                Map<String, @Nullable Object> json = batch.json();
                data.ifPresent(reader -> json.put(
                        "data", shown.stream().map(TailedRecords.Shape::json).toList()));
                out.print(Json.line(json));
            } else {
                out.print(batch.text());
                shown.forEach(record -> out.print(record.line()));
            }
        }
        out.flush();
    }
}
