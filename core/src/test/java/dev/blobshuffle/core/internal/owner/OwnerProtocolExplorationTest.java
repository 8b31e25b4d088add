package dev.blobshuffle.core.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.owner.OwnerExplorer.Found;
import dev.blobshuffle.core.internal.owner.OwnerMoves.Kind;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores the owners' rules in every order of events that a scenario allows. The nightly part runs
 * until all states are visited, or for {@code -Downers.minutes=N} in total.
 */
class OwnerProtocolExplorationTest {
    private static final int QUICK = 10_000;

    /** The most states of a control in a build; the longer controls run at night. */
    private static final int CONTROL = 100_000;

    private static final int LARGE = 60_000_000;
    private static final int SAMPLE = 50;
    private static final int ROUNDS = 40;
    private static final long NEVER = Long.MAX_VALUE;

    static Stream<Arguments> scenarios() {
        return OwnerScenarios.all().stream().map(scenario -> Arguments.of(scenario.name, scenario));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void noLiveBlobIsDeletedInTheFirstMoves(String name, OwnerScenario scenario) {
        assertThat(explore(scenario, QUICK).violation()).as(name).isEmpty();
    }

    @Tag("nightly")
    @Test
    void noLiveBlobIsDeletedInAnyOrder() {
        List<OwnerScenario> scenarios = OwnerScenarios.all();
        Duration each = Duration.ofMinutes(Long.getLong("owners.minutes", 60)).dividedBy(scenarios.size());
        List<Found> all = new ArrayList<>();
        for (OwnerScenario scenario : scenarios) {
            long until = System.nanoTime() + each.toNanos();
            Found found = new OwnerExplorer(scenario, LARGE, System::nanoTime, until).explore();
            System.out.println(scenario.name + ": " + found);
            all.add(found);
        }
        assertThat(all).allSatisfy(found -> assertThat(found.violation()).isEmpty());
    }

    static Stream<Arguments> quickControls() {
        return Stream.of(
                Arguments.of(Point.RAISE_AGAIN, OwnerScenarios.forgotten()),
                Arguments.of(Point.TWO_PHASES, OwnerScenarios.loweredBound()),
                Arguments.of(Point.STORES_ONLY_CHECKED, OwnerScenarios.loweredBound()),
                Arguments.of(Point.THIRD_WAIT, OwnerScenarios.copyOfTheSameApplication()),
                Arguments.of(Point.SETTLED_LOGS, OwnerScenarios.lateNotification()),
                Arguments.of(Point.OWNER_SCOPE, OwnerScenarios.otherCluster()),
                Arguments.of(Point.TOPIC_ID, OwnerScenarios.topicMadeAgain()),
                Arguments.of(Point.SETTLING_DOUBTS, OwnerScenarios.lateOriginalSettled()),
                Arguments.of(Point.LOG_STARTS, OwnerScenarios.kafkaRestored()));
    }

    static Stream<Arguments> longControls() {
        return Stream.of(
                Arguments.of(Point.VERIFY, OwnerScenarios.copyOfAnotherApplication()),
                Arguments.of(Point.EVERY_APPLICATION, OwnerScenarios.copyOfAnotherApplication()),
                Arguments.of(Point.DOUBT, OwnerScenarios.copyWithoutBrokers()),
                Arguments.of(Point.REGISTER_PROMISE, OwnerScenarios.growingBound()),
                Arguments.of(Point.PROMISE_HELD, OwnerScenarios.growingBound()),
                Arguments.of(Point.SECOND_WAIT, OwnerScenarios.growingBound()),
                Arguments.of(Point.QUESTION, OwnerScenarios.copyOfTheSameApplication()),
                Arguments.of(Point.NEW_OWNER, OwnerScenarios.twin()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("quickControls")
    void withoutAPointABlobIsDeleted(Point point, OwnerScenario scenario) {
        assertThat(explore(scenario.without(point), CONTROL).violation())
                .as("%s", point)
                .isNotEmpty();
    }

    @Tag("nightly")
    @ParameterizedTest(name = "{0}")
    @MethodSource("longControls")
    void withoutAPointABlobIsDeletedAfterMoreMoves(Point point, OwnerScenario scenario) {
        Found found = explore(scenario.without(point), LARGE);
        System.out.println("Without " + point + ", " + scenario.name + ": " + found);
        assertThat(found.violation()).as("%s", point).isNotEmpty();
    }

    /** The decision record names this limit: nothing in the store shows that it was restored. */
    @Test
    void aStoreThatGoesBackToAStateOfTheSameWaitHidesALateOriginal() {
        assertThat(explore(OwnerScenarios.lateOriginalWithStoreRestored(), CONTROL)
                        .violation())
                .anyMatch(line -> line.contains("cluster 0 lives"));
    }

    /** From every state that a single cluster can reach, it deletes the blobs that no log names. */
    @Test
    void aClusterAloneIsNeverContestedAndItsBlobsGo() {
        OwnerScenario scenario = OwnerScenarios.alone();
        int[] seen = new int[2];
        Found found = new OwnerExplorer(scenario, 2 * QUICK, System::nanoTime, NEVER, world -> {
                    assertThat(world.text.contests()).isEmpty();
                    seen[0]++;
                    if (seen[0] % SAMPLE == 0 && world.actors[0].isUp) {
                        seen[1]++;
                        OwnerWorld end = healthy(world);
                        assertThat(unneeded(end)).as("%s", world).isZero();
                        assertThat(end.text.contests()).isEmpty();
                    }
                })
                .explore();
        assertThat(found.violation()).isEmpty();
        assertThat(seen[1]).isGreaterThan(QUICK / SAMPLE);
    }

    private static Found explore(OwnerScenario scenario, int most) {
        return new OwnerExplorer(scenario, most, System::nanoTime, NEVER).explore();
    }

    /** Blobs of the sweeper's owner that no log names. */
    private static int unneeded(OwnerWorld world) {
        int owner = world.actors[0].state.owner().orElse(0);
        int unneeded = 0;
        for (int blob = 0; blob < world.blobs.length; blob++) {
            boolean isOwn = world.blobs[blob].owner() == owner;
            unneeded += isOwn && world.isStored(blob) && !world.isNamed(blob, 0) ? 1 : 0;
        }
        return unneeded;
    }

    /** All instances check in every tick, and the sweeper sweeps. */
    private static OwnerWorld healthy(OwnerWorld start) {
        OwnerWorld world = start;
        for (int round = 0; round < ROUNDS; round++) {
            for (Kind kind : List.of(Kind.CHECK, Kind.SWEEP, Kind.ASK, Kind.DELETE)) {
                for (int i = 0; i < world.actors.length; i++) {
                    OwnerWorld next = OwnerMoves.after(world, OwnerMoves.code(kind, i));
                    world = next == null ? world : next;
                }
            }
            OwnerWorld next = OwnerMoves.after(world, OwnerMoves.code(Kind.TICK, 0));
            world = next == null ? world : next;
        }
        return world;
    }
}
