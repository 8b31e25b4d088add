package dev.blobshuffle.testkit.internal.log.tail;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.log.internal.tail.TailCursor;
import dev.blobshuffle.log.internal.tail.TopicPages;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Tails over a log in memory, in virtual time. Owned by the test's thread. */
final class TailFixture implements AutoCloseable {
    final SimulatedTime time = new SimulatedTime(7);
    final Plan plan = new Plan();
    final MemoryDatabase database = new MemoryDatabase(time, LogOptions.DEFAULTS, plan, Set.of());
    final MemoryLog log = new MemoryLog(database, time);
    final LogTopic topic;
    final LogTails tails;

    /** The pages that the ring asked for. */
    final List<ReadRequest> ringReads = new ArrayList<>();

    /** How often a cursor reported that there may be more. */
    int reports;

    /** What the ring's next page fails with, if anything. */
    @Nullable
    RuntimeException ringFailure;

    private final Writer writer;
    private long number;

    TailFixture() {
        this(1 << 20);
    }

    TailFixture(long budget) {
        topic = now(log.topics().create("t", 4, new RetentionRule.Forever())).orElseThrow();
        writer = now(log.open("writer"));
        MeteredLogReads reads = new MeteredLogReads(log, new ShuffleMetrics(time));
        tails = new LogTails(log, reads, number -> watched(LogTails.from(reads).apply(number)), budget, time);
    }

    private TopicPages watched(TopicPages pages) {
        return wanted -> {
            ringReads.add(wanted.request());
            RuntimeException failure = ringFailure;
            ringFailure = null;
            return failure == null ? pages.read(wanted) : CompletableFuture.failedFuture(failure);
        };
    }

    /** The plan of faults; counts calls. */
    static final class Plan implements LogFaults {
        final Map<LogCall, Integer> calls = new EnumMap<>(LogCall.class);
        boolean isAway;
        boolean isDeaf;

        @Override
        public Fate next(LogCall call) {
            calls.merge(call, 1, Integer::sum);
            return isAway ? new Fate(Loss.CONNECTION, Duration.ZERO, Duration.ZERO) : Fate.SMOOTH;
        }

        @Override
        public boolean losesHint() {
            return isDeaf;
        }

        int count(LogCall call) {
            return calls.getOrDefault(call, 0);
        }
    }

    /** Commits some batches and sequences them. */
    void publish(int batches) {
        stage(batches);
        now(log.sequence(topic.number()));
    }

    /** Commits some batches that nobody sequences. */
    void stage(int batches) {
        for (int i = 0; i < batches; i++) {
            byte[] entries = ("batch " + number).getBytes(StandardCharsets.UTF_8);
            now(writer.commit(
                    number, List.of(new LogBatch(topic.number(), entries, Set.of(), 1, 0)), Optional.empty()));
            number++;
        }
    }

    /** Commits some batches by another writer, and sequences them. Their entries are one byte. */
    void publishByAnother(int batches) {
        Writer other = now(log.open("other"));
        for (int i = 0; i < batches; i++) {
            LogBatch batch = new LogBatch(topic.number(), new byte[] {9}, Set.of(), 1, 0);
            now(other.commit(other.firstNumber() + i, List.of(batch), Optional.empty()));
        }
        now(log.sequence(topic.number()));
    }

    TailCursor open(long from) {
        return tails.open(topic.number(), from, () -> reports++);
    }

    /** Takes what the cursor has now. */
    static List<Long> take(TailCursor cursor) {
        List<Long> taken = new ArrayList<>();
        for (List<SequencedBatch> page = cursor.next(3, 1 << 20); !page.isEmpty(); page = cursor.next(3, 1 << 20)) {
            page.forEach(batch -> taken.add(batch.sequence()));
        }
        return taken;
    }

    /** The first sequence of each page that the ring asked for. */
    List<Long> ringPages() {
        return ringReads.stream().map(ReadRequest::from).toList();
    }

    /** The sequences from one on, below another. */
    static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    /** Lets time pass. */
    void pass(long millis) {
        time.settle(Duration.ofMillis(millis));
    }

    static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public void close() {
        tails.close();
        time.close();
    }
}
