package dev.blobshuffle.spark.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.TestApplication;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UploadWatchTest {
    private static final BlobId FIRST = new BlobId(1, 2, 3);
    private static final BlobId SECOND = new BlobId(1, 2, 4);
    private static final Duration MOST = Duration.ofSeconds(10);

    private final SimulatedTime time = new SimulatedTime(1);
    private final BlobDirectory directory = new BlobDirectory(new TestApplication());
    private final AtomicInteger requests = new AtomicInteger();
    private boolean isSilent;
    private final DirectoryClient writer =
            new DirectoryClient(directory::answer, new Whereabouts.Endpoint("1", "one", 7), new Zone("a"));
    private final DirectoryClient reader = new DirectoryClient(
            request -> {
                requests.incrementAndGet();
                if (isSilent) {
                    throw new IllegalStateException("silent");
                }
                return directory.answer(request);
            },
            new Whereabouts.Endpoint("2", "two", 7),
            new Zone("b"));
    private final Time.Workers workers = time.workers("ask", 1);
    private final UploadWatch watch = new UploadWatch(reader, MOST, workers, time);

    @BeforeEach
    void open() {
        writer.join();
        reader.join();
        boolean ignored = writer.open(FIRST, 1);
        ignored = writer.open(SECOND, 1);
        requests.set(0);
    }

    @AfterEach
    void end() {
        workers.close();
        time.close();
    }

    @Test
    void blobsAreAskedForTogetherUntilTheyAreStored() {
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        CompletableFuture<Whereabouts> second = watch.uploaded(SECOND);
        time.settle(Duration.ofMillis(100));
        assertThat(requests).hasValue(1);
        assertThat(first).isNotDone();

        assertThat(writer.stored(FIRST, 42, true, 1)).isTrue();
        time.settle(Duration.ofMillis(250));
        assertThat(first).isCompletedWithValueMatching(now -> now.length().orElseThrow() == 42);
        assertThat(second).isNotDone();
        assertThat(writer.stored(SECOND, 43, true, 1)).isTrue();
        time.settle(Duration.ofMillis(250));
        assertThat(second).isCompletedWithValueMatching(now -> now.length().orElseThrow() == 43);

        int asked = requests.get();
        time.settle(Duration.ofMinutes(1));
        assertThat(requests).as("nothing is awaited").hasValue(asked);
    }

    @Test
    void aWaitInVainEndsAndTheNextOnesAreShort() {
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        time.settle(MOST.minusMillis(500));
        assertThat(first).isNotDone();
        time.settle(Duration.ofSeconds(1));
        assertThat(first)
                .isCompletedWithValueMatching(
                        now -> now.writer().isPresent() && now.length().isEmpty());

        CompletableFuture<Whereabouts> second = watch.uploaded(SECOND);
        time.settle(Duration.ofMillis(100));
        assertThat(second).as("the store takes nothing").isDone();

        time.settle(Duration.ofMinutes(1));
        CompletableFuture<Whereabouts> later = watch.uploaded(SECOND);
        time.settle(Duration.ofMillis(100));
        assertThat(later).isNotDone();
    }

    /** Otherwise a job with many shuffles never reads a store again that has recovered. */
    @Test
    void readersWaitAgainAfterAMinuteWhateverTheyAskMeanwhile() {
        watch.inVain();
        for (int second = 0; second < 60; second += 10) {
            CompletableFuture<Whereabouts> meanwhile = watch.uploaded(FIRST);
            time.settle(Duration.ofSeconds(10));
            assertThat(meanwhile).isDone();
        }
        assertThat(watch.isPatient()).isTrue();
    }

    @Test
    void readersThatMayNotWaitStillReadWhatIsStored() {
        UploadWatch hasty = new UploadWatch(reader, Duration.ZERO, workers, time);
        CompletableFuture<Whereabouts> first = hasty.uploaded(FIRST);
        time.settle(Duration.ofMillis(100));
        assertThat(first).isDone();
        assertThat(hasty.isPatient()).isTrue();
    }

    @Test
    void afterAReadInVainReadersDoNotWaitForAMinute() {
        assertThat(watch.isPatient()).isTrue();
        watch.inVain();
        assertThat(watch.isPatient()).isFalse();
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        time.settle(Duration.ofMillis(100));
        assertThat(first).isDone();
        time.settle(Duration.ofMinutes(1));
        assertThat(watch.isPatient()).isTrue();
    }

    @Test
    void anExecutorThatEndsFailsTheReads() {
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        workers.close();
        time.settle(Duration.ofMillis(100));
        assertThat(first).isCompletedExceptionally();
    }

    @Test
    void aWriterThatIsGoneEndsTheWait() {
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        assertThat(directory.executorLost("1")).contains(FIRST);
        time.settle(Duration.ofMillis(100));
        assertThat(first).isCompletedWithValueMatching(now -> now.writer().isEmpty());
    }

    @Test
    void aDriverThatDoesNotAnswerFailsTheReads() {
        isSilent = true;
        CompletableFuture<Whereabouts> first = watch.uploaded(FIRST);
        time.settle(Duration.ofMillis(100));
        assertThat(first).isCompletedExceptionally();
        assertThat(first.handle((now, failure) -> failure).join()).isInstanceOf(StoreUnavailableException.class);
        isSilent = false;
        assertThat(writer.stored(FIRST, 42, true, 1)).isTrue();
        CompletableFuture<Whereabouts> again = watch.uploaded(FIRST);
        time.settle(Duration.ofMillis(100));
        assertThat(again).isDone();
    }
}
