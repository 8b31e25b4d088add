package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowBlobStoreTest {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @ParameterizedTest
    @CsvSource({
        "s3-standard, 256, 399, 318, 566",
        "s3-blobshuffle-paper, 566, 1025, 73, 133",
        "s3-express, 118, 176, 86, 129"
    })
    void theProfilesHaveTheirPercentilesAt16MiB(String name, long putMedian, long putP95, long getMedian, long getP95) {
        LatencyProfile profile = LatencyProfile.all().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertPercentiles(profile.put().orElseThrow(), putMedian, putP95);
        assertPercentiles(profile.get().orElseThrow(), getMedian, getP95);
    }

    private static void assertPercentiles(LatencyModel model, long median, long p95) {
        try (SimulatedTime time = new SimulatedTime(5)) {
            double[] millis = new double[40_000];
            for (int i = 0; i < millis.length; i++) {
                millis[i] = model.sample(16 << 20, time::randomLong).toNanos() / 1e6;
            }
            Arrays.sort(millis);
            assertThat(millis[millis.length / 2]).isCloseTo(median, within(0.03 * median));
            assertThat(millis[millis.length * 95 / 100]).isCloseTo(p95, within(0.05 * p95));
        }
    }

    @Test
    void aRequestHasItsEffectWhenItsTimeHasCome() {
        try (SimulatedTime time = new SimulatedTime(6)) {
            LatencyProfile profile = LatencyProfile.constant(Duration.ofMillis(300), Duration.ofMillis(20));
            BlobStore memory = new MemoryBlobStore("slow", 1000);
            BlobStore store = new SlowBlobStore(memory, profile, time);
            TrackedContent content = loans.content(new byte[10]);
            CompletableFuture<Void> put =
                    store.put(new BlobId(1, 1, 1), content).toCompletableFuture();
            content.release();
            time.settle(Duration.ofMillis(299));
            assertThat(put).isNotDone();
            assertThat(content.references()).isEqualTo(1);
            assertThat(memory.list(0, 1).toCompletableFuture().join()).isEmpty();
            time.settle(Duration.ofMillis(2));
            assertThat(put).isCompleted();
        }
    }
}
