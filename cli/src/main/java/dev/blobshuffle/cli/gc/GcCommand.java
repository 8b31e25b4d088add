package dev.blobshuffle.cli.gc;

import dev.blobshuffle.cli.drained.ClientSettings;
import dev.blobshuffle.cli.drained.LogScan;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.store.MeasurableStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code blobshuffle gc}: deletes the blobs of a store to which no notification leads any more. Exit status: 0 done, 2 when it cannot be told what is needed: then nothing is deleted. */
@Command(
        name = "gc",
        mixinStandardHelpOptions = true,
        exitCodeOnInvalidInput = 2,
        exitCodeOnExecutionException = 2,
        description = {
            "Deletes the blobs of a store to which no notification in Kafka leads any more.",
            "Lists the store, waits for the grace period, and reads the topics that the blobs name.",
            "Without --delete it only says what it would delete."
        })
public final class GcCommand implements Callable<Integer> {
    private static final int UNKNOWN = 2;
    private static final int STEP = 500;
    private static final Duration LEAST_GRACE = Duration.ofMinutes(15);

    @Spec
    private CommandSpec spec;

    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "The brokers.")
    private String bootstrap;

    @Option(
            names = "--store",
            required = true,
            paramLabel = "URI",
            description = "The store, as in blobshuffle.store. No other cluster may use it.")
    private String storeUri;

    @Option(names = "--delete", description = "Delete, and not only tell.")
    private boolean deletes;

    @Option(
            names = "--grace-seconds",
            defaultValue = "3600",
            paramLabel = "N",
            description = {
                "How long a stored blob may be without its notification: more than delivery and transaction timeouts together, and than any",
                "pause of a process (default: ${DEFAULT-VALUE}, at least 900)."
            })
    private long graceSeconds;

    @Option(
            names = "--writers-stopped",
            description = "No writer runs, nor will one that runs now continue: the grace period may be shorter.")
    private boolean writersStopped;

    @Option(
            names = "--deleted-topic",
            paramLabel = "TOPIC",
            description = "A topic that was deleted for good: blobs need not be kept for it.")
    private List<String> deletedTopics = new ArrayList<>();

    @Option(
            names = "--rate",
            defaultValue = "2000",
            paramLabel = "N",
            description = "Most blobs to delete per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--most",
            defaultValue = "1000000",
            paramLabel = "N",
            description = "Most blobs to look at, the oldest first (default: ${DEFAULT-VALUE}).")
    private int most;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties of the Kafka clients, for example security.")
    private @Nullable Path commandConfig;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GcCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        try (SystemTime time = new SystemTime()) {
            checkOptions();
            return sweep(ClientSettings.of(bootstrap, commandConfig), time);
        } catch (IOException e) {
            err.println("Cannot read --command-config: " + e + ". Give a properties file.");
        } catch (ExecutionException e) {
            err.println("Cannot ask the brokers at " + bootstrap + ": " + e.getCause()
                    + ". Check --bootstrap and --command-config.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot sweep: interrupted. Run it again.");
        } catch (CompletionException e) {
            err.println(e.getCause() == null ? e.toString() : e.getCause().getMessage());
        } catch (BlobShuffleException | KafkaException | IllegalStateException e) {
            err.println(e.getMessage());
        }
        err.flush();
        return UNKNOWN;
    }

    private void checkOptions() {
        if (graceSeconds < 0 || rate < 1 || most < 1) {
            throw new InvalidSettings("Cannot sweep: --grace-seconds is " + graceSeconds + ", --rate " + rate
                    + ", --most " + most + ". Give 0 or more, 1 or more, and 1 or more.");
        }
        if (!writersStopped && graceSeconds < LEAST_GRACE.toSeconds()) {
            throw new InvalidSettings("Cannot sweep: --grace-seconds is " + graceSeconds
                    + ", and a blob may be stored that long before its notification is sent. Give "
                    + LEAST_GRACE.toSeconds() + " or more, or --writers-stopped if no writer runs.");
        }
    }

    private int sweep(Map<String, Object> client, SystemTime time) throws ExecutionException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (BlobStore opened = BlobStores.openUnchecked(storeUri, StoreContext.unmetered(time))) {
            if (!(opened instanceof MeasurableStore store)) {
                throw new InvalidSettings("Cannot sweep " + opened.location()
                        + ": it does not tell the length of blobs. Give a file or object store.");
            }
            StoredBlobs stored = StoredBlobs.of(store, most);
            out.println("Listed " + stored.topics().size() + " blobs"
                    + (stored.isComplete() ? "" : ", the oldest; --most says how many") + ". Waiting "
                    + graceSeconds + " s for notifications on their way.");
            out.flush();
            pause(time, Duration.ofSeconds(graceSeconds));
            Sweep sweep;
            try (Admin admin = Admin.create(client)) {
                sweep = Sweep.of(
                        stored,
                        store.fingerprint(),
                        Set.copyOf(deletedTopics),
                        admin,
                        new LogScan(client, "read_uncommitted"));
            }
            report(out, stored, sweep);
            if (deletes) {
                delete(store, List.copyOf(sweep.unneeded()), time);
            }
            return 0;
        }
    }

    private void report(PrintWriter out, StoredBlobs stored, Sweep sweep) {
        int needed = stored.topics().size() - sweep.unneeded().size() - sweep.kept();
        out.println(needed + " blobs are needed.");
        if (sweep.kept() > 0) {
            out.println(sweep.kept() + " blobs are kept, because this cluster has no topics " + sweep.unknownTopics()
                    + ". If these were deleted for good, name each with --deleted-topic.");
        }
        if (!stored.unreadable().isEmpty()) {
            out.println(stored.unreadable().size() + " blobs are kept, because their footers are damaged, such as "
                    + stored.unreadable().get(0) + ".");
        }
        out.println(sweep.unneeded().size()
                + (deletes
                        ? " blobs are deleted."
                        : " blobs are not needed. Nothing was deleted; run it with --delete."));
        out.flush();
    }

    private void delete(BlobStore store, List<BlobId> unneeded, SystemTime time) throws InterruptedException {
        for (int from = 0; from < unneeded.size(); from += STEP) {
            List<BlobId> some = unneeded.subList(from, Math.min(unneeded.size(), from + STEP));
            store.delete(some).toCompletableFuture().join();
            if (from + STEP < unneeded.size()) {
                pause(time, Duration.ofMillis(1000L * some.size() / rate));
            }
        }
    }

    private static void pause(SystemTime time, Duration duration) throws InterruptedException {
        Signal never = time.signal();
        boolean ignored = never.await(never.count(), time.nanos() + duration.toNanos());
    }
}
