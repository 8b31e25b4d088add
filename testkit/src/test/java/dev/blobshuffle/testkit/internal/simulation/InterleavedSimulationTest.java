package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The schedules of {@link ShuffleSimulationTest} with yield points inside the engine: at monitors,
 * atomics and volatile fields, with late stores. The number of schedules and the first seed are
 * system properties: {@code docs/testing/simulation.md}.
 */
class InterleavedSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("simulation.interleaved", 100);
    private static final long SEED = Long.getLong("simulation.seed", 1);

    /**
     * Seeds that found a defect of the engine. 1575: a lane that fails was taken for drained, and a
     * flush returned. 10620: the first that finds out when an append does not look again after a
     * seal.
     */
    private static final long[] FOUND = {1575, 10620};

    private final LongFunction<String[]> schedule = WovenLoader.simulation();

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsInEveryInterleaving() {
        LongStream.range(SEED, SEED + SCHEDULES).parallel().forEach(this::everyPromiseHolds);
    }

    @Test
    void seedsThatFoundDefectsFindNoneNow() {
        LongStream.of(FOUND).forEach(this::everyPromiseHolds);
    }

    /** Without yield points the other tests would prove nothing. */
    @Test
    void theEngineIsWoven() throws ClassNotFoundException {
        Class<?> lane = new WovenLoader().loadClass("dev.blobshuffle.core.internal.write.deliver.DeliveryQueue");

        assertThat(lane.getDeclaredMethods())
                .extracting(method -> method.getName())
                .contains("enqueue", "enqueue$body");
    }

    private void everyPromiseHolds(long seed) {
        assertThat(schedule.apply(seed))
                .as(
                        "seed %d; replay it with%n  ./mvnw -pl testkit -am test "
                                + "-Dtest=InterleavedSimulationTest#everyPromiseHoldsInEveryInterleaving "
                                + "-Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.interleaved=1 -Dsimulation.seed=%d",
                        seed, seed)
                .isEmpty();
    }
}
