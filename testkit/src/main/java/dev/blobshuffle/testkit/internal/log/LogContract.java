package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The common base of the contract tests of a commit log: a fresh log, its clients, and short helper
 * methods.
 */
public abstract class LogContract {
    /** Longer than any sound log takes, on a busy machine. */
    private static final long PATIENCE_SECONDS = 120;

    private @Nullable LogUnderTest tested;
    private final List<CommitLog> clients = new ArrayList<>();
    private int blobs;

    /** Makes an empty log, which the test closes. */
    protected abstract LogUnderTest create();

    @BeforeEach
    final void createLog() {
        tested = create();
    }

    @AfterEach
    final void deleteLog() {
        clients.forEach(CommitLog::close);
        clients.clear();
        if (tested != null) { // Else it was not created, and the test says why.
            tested.close();
        }
    }

    /** The log under test. */
    protected final LogUnderTest tested() {
        LogUnderTest log = tested;
        if (log == null) {
            throw new IllegalStateException("Cannot use the log: the test has not begun.");
        }
        return log;
    }

    /** Another client, closed after the test. */
    protected final CommitLog connect() {
        CommitLog log = tested().connect();
        clients.add(log);
        return log;
    }

    /** The value of a stage, or its failure. */
    protected static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError("A stage failed with an unexpected kind of failure.", e);
        } catch (TimeoutException e) {
            throw new AssertionError("A stage did not end.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("The test was interrupted.", e);
        }
    }

    /** A new topic that keeps everything. */
    protected static LogTopic topic(CommitLog log, String name, int partitions) {
        return topic(log, name, partitions, new RetentionRule.Forever());
    }

    /** A new topic. */
    protected static LogTopic topic(CommitLog log, String name, int partitions, RetentionRule rule) {
        return join(log.topics().create(name, partitions, rule)).orElseThrow();
    }

    /** A batch without blobs. */
    protected static LogBatch batch(LogTopic topic, String entries) {
        return batch(topic, entries, Set.of());
    }

    /** A batch that refers to blobs. */
    protected static LogBatch batch(LogTopic topic, String entries, Set<BlobId> blobs) {
        byte[] bytes = entries.getBytes(StandardCharsets.UTF_8);
        return new LogBatch(topic.number(), bytes, blobs, bytes.length, 1_000);
    }

    /** Commits one batch and returns its id. */
    protected static long commit(Writer writer, long number, LogBatch batch) {
        return join(writer.commit(number, List.of(batch), Optional.empty())).get(0);
    }

    /** Sequences everything that is staged. */
    protected static void sequence(CommitLog log, LogTopic topic) {
        OptionalLong moved;
        do {
            moved = join(log.sequence(topic.number()));
        } while (moved.isEmpty() || moved.getAsLong() > 0);
    }

    /** Trims until nothing is left to trim; how many batches went. */
    protected static int trim(CommitLog log) {
        int all = 0;
        OptionalInt removed;
        do {
            removed = join(log.retention().trim());
            all += removed.orElse(0);
        } while (removed.isEmpty() || removed.getAsInt() > 0);
        return all;
    }

    /** Reads a topic from a sequence to its end. */
    protected static List<SequencedBatch> read(CommitLog log, LogTopic topic, long from) {
        List<SequencedBatch> all = new ArrayList<>();
        Optional<Bookmark> last = Optional.empty();
        while (true) {
            List<SequencedBatch> some =
                    join(log.read(new ReadRequest(topic.number(), from + all.size(), 1_000, 1 << 20, last)));
            if (some.isEmpty()) {
                return all;
            }
            all.addAll(some);
            last = Optional.of(Bookmark.at(all.get(all.size() - 1)));
        }
    }

    /** The entries of a topic's batches, in order; checks that there is no hole. */
    protected static List<String> entries(CommitLog log, LogTopic topic, long from) {
        List<SequencedBatch> batches = read(log, topic, from);
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            assertThat(batches.get(i).sequence()).isEqualTo(from + i);
            entries.add(text(batches.get(i)));
        }
        return entries;
    }

    /** A batch's entries. */
    protected static String text(SequencedBatch batch) {
        return new String(batch.entries(), StandardCharsets.UTF_8);
    }

    /** The minute of the log's clock. */
    protected static long minute(CommitLog log) {
        return join(log.retention().clock()).toEpochMilli() / BlobId.MILLIS_PER_GENERATION;
    }

    /** The id of a new blob of a minute. */
    protected final BlobId blob(long minute) {
        return new BlobId(minute, 0x8000_0000_0000_0007L, blobs++);
    }

    /** Positions to commit of one partition. */
    protected static Consumed consumed(String group, UUID member, OwnedPartition owned, long sequence) {
        return new Consumed(
                group,
                member,
                List.of(new ConsumedPosition(
                        owned.partition(),
                        owned.generation(),
                        new LogPosition(sequence, 0).value(),
                        Optional.empty())));
    }

    /** Runs calls at once, each on a thread of its own, and waits for all. */
    protected static void together(List<Runnable> calls) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (Runnable call : calls) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            call.run();
                            ended.complete(null);
                        } catch (Throwable e) { // The test's thread reports it.
                            ended.completeExceptionally(e);
                        }
                    },
                    "contract");
            thread.setDaemon(true);
            thread.start();
            running.add(ended);
        }
        for (CompletableFuture<Void> each : running) {
            Object ignored = join(each.thenApply(done -> "done"));
        }
    }
}
