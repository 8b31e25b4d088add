package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** System properties set the seeds: {@code docs/testing/simulation.md}. */
class ClientSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("simulation.clients", 128);

    /** With this many schedules, every event occurs in at least one of them. */
    private static final int MANY = 100;

    private static final long SEED = Long.getLong("simulation.seed", 1);

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void everyPromiseHoldsInEverySchedule() {
        Set<String> events = ConcurrentHashMap.newKeySet();
        LongStream.range(SEED, SEED + SCHEDULES).parallel().forEach(seed -> {
            ClientSchedule.Outcome outcome = ClientSchedule.run(seed);
            assertThat(outcome.violations())
                    .as(
                            "seed %d; replay it with%n  ./mvnw -pl kafka -am test -Dtest=ClientSimulationTest "
                                    + "-Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.clients=1 -Dsimulation.seed=%d",
                            seed, seed)
                    .isEmpty();
            events.addAll(outcome.events());
        });
        if (SCHEDULES >= MANY) {
            assertThat(events).containsAll(ClientSchedule.EVENTS);
        }
    }

    @Test
    void aSeedAlwaysGivesTheSameSchedule() {
        for (long seed = SEED; seed < SEED + 10; seed++) {
            assertThat(ClientSchedule.trace(seed)).isEqualTo(ClientSchedule.trace(seed));
        }
    }
}
