package dev.blobshuffle.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobshuffle.bench.store.RequestTimes.Sample;
import dev.blobshuffle.bench.store.TransferCell.Direction;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FittedProfileTest {
    private static final long MIB = 1 << 20;
    private static final int REQUESTS = 20_000;

    @TempDir
    Path directory;

    private static Sample sample(LatencyProfile profile, Direction operation, long bytes) {
        LatencyModel model = (operation == Direction.PUT ? profile.put() : profile.get()).orElseThrow();
        SplittableRandom random = new SplittableRandom(bytes);
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            millis.add(model.sample(bytes, random::nextLong).toNanos() / 1e6);
        }
        return new Sample(operation, bytes, millis);
    }

    private static RequestTimes times(LatencyProfile profile) {
        List<Sample> samples = new ArrayList<>();
        for (Direction operation : Direction.values()) {
            for (long size : new long[] {MIB, 4 * MIB, 16 * MIB}) {
                samples.add(sample(profile, operation, size));
            }
        }
        return new RequestTimes("a store", samples);
    }

    @Test
    void fitHasThePercentilesOfTheRequests() {
        LatencyProfile fitted = FittedProfile.of(times(LatencyProfile.S3_BLOBSHUFFLE_PAPER));
        for (Direction operation : Direction.values()) {
            Sample measured = sample(LatencyProfile.S3_BLOBSHUFFLE_PAPER, operation, 16 * MIB);
            Sample modelled = sample(fitted, operation, 16 * MIB);
            assertThat(modelled.quantile(0.5)).isCloseTo(measured.quantile(0.5), withinPercentage(10));
            assertThat(modelled.quantile(0.95)).isCloseTo(measured.quantile(0.95), withinPercentage(15));
            assertThat(modelled.quantile(0.99)).isCloseTo(measured.quantile(0.99), withinPercentage(25));
        }
    }

    @Test
    void fileKeepsEveryRequest() throws Exception {
        RequestTimes times =
                new RequestTimes("a store", List.of(new Sample(Direction.PUT, MIB, Collections.nCopies(20, 1.5))));
        Path file = directory.resolve("profile.json");
        times.write(file);
        assertThat(RequestTimes.read(file)).isEqualTo(times);
    }

    @Test
    void requestsToARealStoreAreTimed() throws Exception {
        RequestTimes times = new RequestTimer(directory.toUri().toString(), List.of(1, 2), 20, line -> {}).run();
        assertThat(times.of(Direction.PUT)).extracting(Sample::bytes).containsExactly(MIB, 2 * MIB);
        assertThat(times.of(Direction.GET)).allMatch(sample -> sample.quantile(0.5) > 0);
        assertThat(FittedProfile.of(times).put()).isPresent();
    }

    @Test
    void whatCannotBeFittedIsRefused() throws Exception {
        assertThatThrownBy(() -> FittedProfile.of(new RequestTimes("a store", List.of())))
                .hasMessageContaining("Measure two or more");
        assertThatThrownBy(() -> new Sample(Direction.GET, MIB, List.of(1.0))).hasMessageContaining("give 20 or more");
        Path file = Files.writeString(directory.resolve("empty.json"), "{}");
        assertThatThrownBy(() -> RequestTimes.read(file)).hasMessageContaining("--profile-out");
    }
}
