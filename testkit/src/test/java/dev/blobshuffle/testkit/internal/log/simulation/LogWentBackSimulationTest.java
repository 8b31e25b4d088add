package dev.blobshuffle.testkit.internal.log.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.Answers;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase.Standby;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A standby takes over that has not received the last commits. Nobody may go on as if nothing had
 * happened: neither a reader of lost batches nor a publisher of lost commits.
 * {@code -Dfailover.seeds=N} runs more schedules.
 */
class LogWentBackSimulationTest {
    private static final int SEEDS = Integer.getInteger("failover.seeds", 100);

    /** A control ends at the first seed that finds something. */
    private static final int MOST_SEEDS = 1_000;

    private static final int COMMITS = 30;

    /** Each run tells whether the reader noticed, and whether it had a reason to. */
    private static final class Run {
        private final SimulatedTime time;
        private final MemoryDatabase database;
        private final boolean hasBookmarks;
        private final List<String> seen = new ArrayList<>();
        private final List<String> acknowledged = new ArrayList<>();
        private int topic;
        private boolean isFailedOver;
        private boolean hasTriedAgain;
        private boolean isOver;
        private boolean hasReaderNoticed;
        private boolean hasPublisherNoticed;
        private List<String> log = List.of();

        Run(SimulatedTime time, boolean hasBookmarks) {
            this.time = time;
            this.hasBookmarks = hasBookmarks;
            database = new MemoryDatabase(time);
        }

        void run() {
            MemoryLog admin = new MemoryLog(database, time);
            time.actor("test", () -> {
                topic = Answers.await(time, admin.topics().create("orders", 1, new RetentionRule.Forever()))
                        .orElseThrow()
                        .number();
                SimulatedProcess publisher = time.process("publisher");
                SimulatedProcess reader = time.process("reader");
                publisher.actor("publish", () -> publish(new MemoryLog(database, publisher), publisher));
                reader.actor("read", () -> read(new MemoryLog(database, reader), reader));
                time.pause(Duration.ofMillis(time.random(1_000)));
                Standby standby = database.standby();
                time.pause(Duration.ofMillis(time.random(1_000)));
                database.failOver(standby);
                isFailedOver = true;
            });
            time.run();
            log = texts(Answers.await(time, admin.read(request(0, Optional.empty()))));
        }

        private void publish(MemoryLog client, Time clock) {
            Writer writer = Answers.await(clock, client.open("a"));
            long number = writer.firstNumber();
            for (int i = 0; i < COMMITS; i++) {
                time.pause(Duration.ofMillis(time.random(100)));
                hasTriedAgain |= isFailedOver;
                String text = "record " + i;
                LogBatch batch = new LogBatch(topic, text.getBytes(StandardCharsets.UTF_8), Set.of(), 1, 0);
                try {
                    List<Long> ids = Answers.await(clock, writer.commit(number, List.of(batch), Optional.empty()));
                    assertThat(ids).hasSize(1);
                    number++;
                    acknowledged.add(text);
                } catch (LogWentBackException e) {
                    hasPublisherNoticed = true;
                    writer = Answers.await(clock, client.open("a"));
                    number = writer.firstNumber();
                }
                if (time.random(3) > 0) {
                    assertThat(Answers.await(clock, client.sequence(topic))).isPresent();
                }
            }
            assertThat(Answers.await(clock, client.sequence(topic))).isPresent();
            isOver = true;
        }

        private void read(MemoryLog client, Time clock) {
            Optional<Bookmark> last = Optional.empty();
            boolean isLast = false;
            while (!isLast) {
                time.pause(Duration.ofMillis(time.random(150)));
                isLast = isOver && isFailedOver;
                try {
                    List<SequencedBatch> batches = Answers.await(
                            clock, client.read(request(seen.size(), hasBookmarks ? last : Optional.empty())));
                    for (SequencedBatch batch : batches) {
                        last = Optional.of(Bookmark.at(batch));
                    }
                    seen.addAll(texts(batches));
                } catch (LogWentBackException e) {
                    hasReaderNoticed = true;
                    return;
                }
            }
        }

        private ReadRequest request(long from, Optional<Bookmark> last) {
            return new ReadRequest(topic, from, 1_000, 1 << 20, last);
        }

        private static List<String> texts(List<SequencedBatch> batches) {
            return batches.stream()
                    .map(batch -> new String(batch.entries(), StandardCharsets.UTF_8))
                    .toList();
        }

        boolean hasReaderLost() {
            return seen.size() > log.size() || !log.subList(0, seen.size()).equals(seen);
        }

        /** Who publishes nothing more cannot notice. */
        boolean hasPublisherLost() {
            return hasTriedAgain && !log.containsAll(acknowledged);
        }
    }

    private static Run run(long seed, boolean hasBookmarks) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            Run run = new Run(time, hasBookmarks);
            run.run();
            return run;
        }
    }

    @Test
    void whoeverLostSomethingNotices() {
        int losses = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = run(seed, true);
            losses += run.hasReaderLost() ? 1 : 0;
            assertThat(run.hasReaderNoticed || !run.hasReaderLost())
                    .as("reader of seed %d", seed)
                    .isTrue();
            assertThat(run.hasPublisherNoticed || !run.hasPublisherLost())
                    .as("publisher of seed %d", seed)
                    .isTrue();
        }
        assertThat(losses).as("runs in which the reader lost something").isGreaterThan(SEEDS / 10);
    }

    /** So the bookmark is what notices: the log may have grown past the reader again. */
    @Test
    void aReaderWithoutABookmarkDoesNotAlwaysNotice() {
        assertThat(LongStream.rangeClosed(1, MOST_SEEDS).anyMatch(seed -> {
                    Run run = run(seed, false);
                    return run.hasReaderLost() && !run.hasReaderNoticed;
                }))
                .isTrue();
    }
}
