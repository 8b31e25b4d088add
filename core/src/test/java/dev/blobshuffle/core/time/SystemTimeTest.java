package dev.blobshuffle.core.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SystemTimeTest {
    private static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    /**
     * If the machine pauses between the two calls, the later timer is due before the earlier one is
     * scheduled. Such a run proves nothing and is repeated.
     */
    @Test
    void timersRunInOrderOfTheirDelaysOnADaemonThread() throws Exception {
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean daemon = new AtomicBoolean();
        long took;
        do {
            ran.clear();
            CountDownLatch done = new CountDownLatch(2);
            long start = time.nanos();
            time.schedule(Duration.ofMillis(60), () -> {
                ran.add("late");
                done.countDown();
            });
            time.schedule(Duration.ofMillis(1), () -> {
                daemon.set(Thread.currentThread().isDaemon());
                ran.add("early");
                done.countDown();
            });
            took = time.nanos() - start;
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        } while (took > TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(ran).containsExactly("early", "late");
        assertThat(daemon).isTrue();
    }

    @Test
    void aCancelledTimerNeverStarts() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        long took;
        do {
            ran.set(false);
            CountDownLatch later = new CountDownLatch(1);
            long start = time.nanos();
            time.schedule(Duration.ofMillis(50), () -> ran.set(true)).cancel();
            took = time.nanos() - start;
            time.schedule(Duration.ofMillis(100), later::countDown);
            assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
        } while (took > TimeUnit.MILLISECONDS.toNanos(40)); // After so long, the timer may already have been due.
        assertThat(ran).isFalse();
    }

    @Test
    void aFailingTimerDoesNotStopTheOthers() throws Exception {
        CountDownLatch later = new CountDownLatch(1);
        time.schedule(Duration.ZERO, () -> {
            throw new IllegalStateException("expected by this test");
        });
        time.schedule(Duration.ofMillis(1), later::countDown);
        assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aClosedTimerRefusesTasks() {
        time.close();
        time.close();
        assertThatThrownBy(() -> time.schedule(Duration.ZERO, () -> {}))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void workersUseNoMoreThreadsThanAskedFor() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(200);
        try (Time.Workers workers = time.workers("test-worker", 3)) {
            for (int i = 0; i < 200; i++) {
                workers.execute(() -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.onSpinWait();
                    running.decrementAndGet();
                    done.countDown();
                });
            }
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void closedWorkersLetARunningTaskEndAndDropTheOthers() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean queuedRan = new AtomicBoolean();
        Time.Workers workers = time.workers("test-worker", 1);
        workers.execute(() -> {
            started.countDown();
            try {
                if (goOn.await(60, TimeUnit.SECONDS)) {
                    ended.countDown();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        workers.execute(() -> queuedRan.set(true));
        assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
        workers.close();
        workers.close();
        goOn.countDown();
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(queuedRan).isFalse();
        assertThatThrownBy(() -> workers.execute(() -> {})).isInstanceOf(ClosedException.class);
    }

    @Test
    void aReportBeforeTheWaitIsNotLost() throws Exception {
        Signal signal = time.signal();
        long seen = signal.count();
        signal.raise();
        assertThat(signal.await(seen, time.nanos() + LONG_WAIT_NANOS)).isTrue();
    }

    @Test
    void aWaitEndsAtItsDeadline() throws Exception {
        Signal signal = time.signal();
        long start = time.nanos();
        assertThat(signal.await(signal.count(), start + TimeUnit.MILLISECONDS.toNanos(20)))
                .isFalse();
        assertThat(time.nanos() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void noReportIsLostBetweenThreads() throws Exception {
        // Ping-pong: each side waits for the other's report, so a single lost one ends the game at
        // the deadline. On a machine whose processors others use, each round may take milliseconds.
        Signal ping = time.signal();
        Signal pong = time.signal();
        int rounds = 20_000;
        AtomicInteger answered = new AtomicInteger();
        Thread other = new Thread(() -> {
            try {
                for (int i = 0; i < rounds && ping.await(i, time.nanos() + LONG_WAIT_NANOS); i++) {
                    answered.incrementAndGet();
                    pong.raise();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        other.start();
        for (int i = 0; i < rounds; i++) {
            ping.raise();
            assertThat(pong.await(i, time.nanos() + LONG_WAIT_NANOS)).isTrue();
        }
        other.join();
        assertThat(answered).hasValue(rounds);
    }
}
