package dev.blobshuffle.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
    private static final int READS = Integer.getInteger("race.rounds", 1_000);

    /** The system shows a thread in its list and refuses to read it a moment later. */
    @Test
    void threadsMayEndWhileTheirTimeIsRead() throws Exception {
        AtomicBoolean isDone = new AtomicBoolean();
        CompletableFuture<Void> threads = CompletableFuture.runAsync(() -> {
            while (!isDone.get()) {
                startAndEnd(16);
            }
        });
        try {
            for (int i = 0; i < READS; i++) {
                CpuTime time = CpuTime.of(List.of(ProcessHandle.current().pid()));
                assertThat(time.work()).isPositive();
            }
        } finally {
            isDone.set(true);
            threads.join();
        }
    }

    private static void startAndEnd(int count) {
        List<Thread> brief =
                IntStream.range(0, count).mapToObj(i -> new Thread(() -> {})).toList();
        brief.forEach(Thread::start);
        brief.forEach(CpuTimeTest::join);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
