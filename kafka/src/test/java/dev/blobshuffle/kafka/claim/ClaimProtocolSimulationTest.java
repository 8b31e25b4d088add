package dev.blobshuffle.kafka.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.claim.ClaimWorld.Actor;
import dev.blobshuffle.kafka.claim.ClaimWorld.Cluster;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two clusters with live instances and sweepers share a store, in thousands of orders of their steps and
 * with crashes. No blob that a live cluster needs is deleted; without a part of the protocol, one is.
 */
class ClaimProtocolSimulationTest {
    private static final int SEEDS = 200;
    private static final int MOST_STEPS = 6000;

    /** What the second cluster is. */
    private enum Second {
        /** Its volumes are copied while the first one works. */
        COPY,
        /** It has another id and topics of the same names. */
        OTHER
    }

    /** A part of the protocol that can be left out. */
    private enum Part {
        RAISE_AT_START,
        CHECKS,
        SECOND_WAIT,
        ASK_BEFORE_DELETING
    }

    private static List<String> play(long seed, Second second, Set<Part> without) {
        ClaimWorld world = new ClaimWorld(seed, 4);
        Cluster first = new Cluster("cluster");
        Set<Actor> until = new HashSet<>();
        List<Cluster> all = new ArrayList<>(List.of(first));
        int before = world.random(200);
        instance(world, first, without);
        Actor sweeper = world.add(first, self -> sweep(self, all, without));
        world.run(Set.of(sweeper), before);
        Cluster other = second == Second.COPY ? first.copy() : new Cluster("another");
        all.add(other);
        instance(world, other, without);
        until.add(sweeper);
        boolean onlyWrites = without.contains(Part.RAISE_AT_START) || seed % 3 == 0;
        if (!onlyWrites) {
            until.add(world.add(other, self -> sweep(self, all, without)));
        }
        return world.run(until, MOST_STEPS);
    }

    /** An instance that writes, and whose records Kafka lets go of. */
    private static void instance(ClaimWorld world, Cluster cluster, Set<Part> without) {
        Actor ignored = world.add(cluster, self -> {
            Claimant claimant = self.claimant();
            self.checked(); // It counts as live from here on.
            if (!without.contains(Part.RAISE_AT_START)) {
                claimant.raise(ClaimWorld.TOPIC);
            }
            while (true) {
                self.write();
                if (world.random(3) == 0) {
                    self.purge();
                }
                if (!without.contains(Part.CHECKS)) {
                    claimant.check(ClaimWorld.TOPIC);
                }
                self.checked();
            }
        });
    }

    private static void sweep(Actor self, List<Cluster> all, Set<Part> without) throws InterruptedException {
        Claimant claimant = self.claimant();
        for (int round = 0; round < 4; round++) {
            if (!claimant.raise(ClaimWorld.TOPIC).isOwn()) {
                return;
            }
            Set<Integer> condemned = self.list();
            self.awaitNotifications();
            condemned.removeAll(self.log());
            if (!claimant.raise(ClaimWorld.TOPIC).isOwn()) {
                return;
            }
            if (!without.contains(Part.SECOND_WAIT)) {
                self.awaitChecks(all.toArray(Cluster[]::new));
            }
            if (!without.contains(Part.ASK_BEFORE_DELETING)
                    && !claimant.check(ClaimWorld.TOPIC).isOwn()) {
                return;
            }
            self.delete(condemned, all.toArray(Cluster[]::new));
        }
    }

    @ParameterizedTest
    @EnumSource(Second.class)
    void noBlobOfALiveClusterIsDeletedWhoeverSweepsFirstAndWhereverOneCrashes(Second second) {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(play(seed, second, EnumSet.noneOf(Part.class)))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    private static boolean isFound(Second second, Part... left) {
        for (long seed = 0; seed < SEEDS; seed++) {
            if (!play(seed, second, Set.of(left)).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void withoutClaimsOfThoseWhoDoNotSweepALiveBlobIsDeleted() {
        assertThat(isFound(Second.OTHER, Part.RAISE_AT_START, Part.CHECKS))
                .as("claims of those who do not sweep")
                .isTrue();
    }

    /** Alone, a cluster deletes what it does not need, crashes included. */
    @Test
    void aClusterAloneIsNeverContestedAndItsBlobsGo() {
        for (long seed = 0; seed < 100; seed++) {
            ClaimWorld world = new ClaimWorld(seed, 4);
            Cluster only = new Cluster("cluster");
            List<Cluster> all = List.of(only);
            instance(world, only, EnumSet.noneOf(Part.class));
            instance(world, only, EnumSet.noneOf(Part.class));
            List<Boolean> finished = new ArrayList<>();
            Actor sweeper = world.add(only, self -> {
                sweep(self, all, EnumSet.noneOf(Part.class));
                finished.add(self.claimant().look(ClaimWorld.TOPIC).isOwn());
            });
            assertThat(world.run(Set.of(sweeper), MOST_STEPS))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(finished).as("seed %d", seed).containsExactly(true);
        }
    }
}
