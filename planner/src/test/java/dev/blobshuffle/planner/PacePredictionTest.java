package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.core.internal.pricing.Pace;
import dev.blobshuffle.core.internal.pricing.PaceConditions;
import dev.blobshuffle.core.internal.pricing.PaceModel;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.pricing.RequestTimes;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine chooses its pace by a small copy of the planner's model: both must say the same. */
class PacePredictionTest {
    private static final double MIB = 1 << 20;
    private static final LatencyModel PUTS =
            LatencyProfile.S3_BLOBSHUFFLE_PAPER.put().orElseThrow();

    /** No reads and a fixed channel, so that the forecast can be compared. */
    private static final double[] READS = new double[16];

    private static final double[] CHANNEL = new double[16];

    static {
        Arrays.fill(CHANNEL, 0.015);
    }

    private static RequestTimes learned() {
        LongSupplier random = new SplittableRandom(11)::nextLong;
        RequestTimes times = RequestTimes.puts();
        for (int i = 0; i < 2000; i++) {
            double size = LatencyModel.uniform(random) * 16 * MIB;
            times.took(size, PUTS.sampleMillis(size, random) / 1000);
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 5, 20, 44, 80})
    void itsPredictionIsThatOfThePlanner(double mebibytesPerSecond) {
        PaceConditions conditions =
                new PaceConditions(1.6, 1.6, mebibytesPerSecond * MIB, 128 * MIB, 16 * MIB, 0, 3, 1, 3, 0);
        Pace pace = new PaceModel(learned(), READS, CHANNEL, 1).choose(conditions, Optional.empty());
        Workload workload = Workload.builder()
                .bytesPerSecond(3 * mebibytesPerSecond * MIB)
                .instances(3)
                .partitions(12)
                .commitInterval(Duration.ofHours(1))
                .build();
        // A blob this large makes the planner's packing choose as many blobs.
        Tuning tuning = Tuning.builder()
                .blobBytes(pace.fillSeconds() * mebibytesPerSecond * MIB / pace.blobs() * 1.1)
                .delay(Duration.ofNanos((long) (pace.fillSeconds() * 1e9)))
                .scope(BatchScope.INSTANCE)
                .build();
        LatencyProfile putsOnly = new LatencyProfile("puts", Optional.of(PUTS), Optional.empty());
        double planned = new ShuffleModel(PriceTables.named("aws"), putsOnly)
                .estimate(workload, tuning, 10_000)
                .latencies()
                .p95();
        assertThat(pace.p95Seconds()).isCloseTo(planned, within(0.1 * planned));
        assertThat(pace.meetsTarget()).isTrue();
        assertThat(pace.p95Seconds()).isBetween(0.6, 1.6);
    }
}
