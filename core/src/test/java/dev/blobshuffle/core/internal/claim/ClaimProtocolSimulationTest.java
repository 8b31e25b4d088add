package dev.blobshuffle.core.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.claim.ClaimWorld.Actor;
import dev.blobshuffle.core.internal.claim.ClaimWorld.Cluster;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two clusters with live instances and sweepers share a store, in thousands of orders of their
 * steps and with crashes. No blob that a live cluster needs is deleted; without a part of the
 * protocol, one is. {@code -Dclaims.seeds=N} plays more orders.
 */
class ClaimProtocolSimulationTest {
    private static final int SEEDS = Integer.getInteger("claims.seeds", 50);

    /** A control ends at the first seed that finds something. */
    private static final int MOST_SEEDS = 1_000;

    private static final int MOST_STEPS = 6000;

    /** Of the second wait. A start takes less than half of it. */
    private static final int WAIT = 600;

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
        sweep(self, all, without, 0, new ArrayList<>());
    }

    /**
     * @param wait steps of the second wait at least
     * @param tombstones takes note of when each round had its tombstones
     */
    private static void sweep(Actor self, List<Cluster> all, Set<Part> without, int wait, List<Integer> tombstones)
            throws InterruptedException {
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
            tombstones.add(self.now());
            if (!without.contains(Part.SECOND_WAIT)) {
                self.awaitChecks(wait, all.toArray(Cluster[]::new));
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

    /**
     * Here every id is forgotten that may be: one too many, and an instance takes its sibling for a
     * stranger.
     */
    @Test
    void noIdIsForgottenThatTheRegisterHoldsOrStillGets() {
        int forgotten = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            ClaimWorld world = new ClaimWorld(seed, 3);
            Cluster cluster = new Cluster("cluster");
            Set<Actor> siblings = new HashSet<>();
            for (int sibling = 0; sibling < 3; sibling++) {
                // Each an application of its own, so that one changes the register below another.
                Set<String> topic = Set.of("claims-" + sibling);
                siblings.add(world.add(cluster, self -> raiseAndCheck(self, topic)));
            }
            assertThat(world.run(siblings, MOST_STEPS)).as("seed %d", seed).isEmpty();
            assertThat(world.contest()).as("seed %d", seed).isEmpty();
            forgotten += world.forgotten();
        }
        assertThat(forgotten).isGreaterThan(SEEDS);
    }

    private static void raiseAndCheck(Actor self, Set<String> topic) throws InterruptedException {
        for (int raise = 0; raise < 6; raise++) {
            self.claimant().raise(topic);
            self.claimant().check(topic);
        }
    }

    /**
     * Siblings raise one of two topics so often that the id that a raise of both has read is
     * forgotten, and looks like a stranger's. The raise starts over, and must not take the other
     * topic's old line for a sibling's new one.
     */
    @Test
    void aRaiseReplacesTheLineOfEachTopicWhateverItsFirstAttemptMet() {
        for (long seed = 0; seed < SEEDS; seed++) {
            ClaimWorld world = new ClaimWorld(seed, 0);
            Cluster cluster = new Cluster("cluster");
            Set<Actor> all = new HashSet<>();
            for (int sibling = 0; sibling < 3; sibling++) {
                all.add(world.add(cluster, self -> raiseAndCheck(self, Set.of("busy"))));
            }
            all.add(world.add(cluster, self -> {
                for (int raise = 0; raise < 10; raise++) {
                    var before = world.lineId(cluster, "quiet");
                    boolean isOwn =
                            self.claimant().raise(Set.of("quiet", "busy")).isOwn();
                    if (isOwn && world.lineId(cluster, "quiet").equals(before)) {
                        world.violated("raise " + raise + " left the line of the quiet topic as it was");
                    }
                }
            }));
            assertThat(world.run(all, MOST_STEPS)).as("seed %d", seed).isEmpty();
            assertThat(world.contest()).as("seed %d", seed).isEmpty();
        }
    }

    private static boolean isFound(Second second, Part... left) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            if (!play(seed, second, Set.of(left)).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The copy sweeps beside an original that does not: the original's checks must find it. */
    private static List<String> playQuietOriginal(long seed, Set<Part> without) {
        ClaimWorld world = new ClaimWorld(seed, 4);
        Cluster first = new Cluster("cluster");
        List<Cluster> all = new ArrayList<>(List.of(first));
        int before = 50 + world.random(200);
        instance(world, first, without);
        world.run(Set.of(world.add(first, ClaimWorld.Actor::step)), before);
        Cluster copy = first.copy();
        all.add(copy);
        return world.run(Set.of(world.add(copy, self -> sweep(self, all, without))), MOST_STEPS);
    }

    /**
     * The original has stopped when the copy is made, and starts while the copy sweeps. If it
     * starts within the waiting time, all that its log leads to is there and stays.
     */
    private static List<String> playLateOriginal(long seed, Set<Part> without) {
        ClaimWorld world = new ClaimWorld(seed, 0);
        Cluster first = new Cluster("cluster");
        List<Cluster> all = new ArrayList<>(List.of(first));
        Actor early = world.add(first, self -> {
            self.claimant().raise(ClaimWorld.TOPIC);
            for (int blob = 0; blob < 5; blob++) {
                self.write();
            }
        });
        world.run(Set.of(early), MOST_STEPS);
        Cluster copy = first.copy();
        copy.log.clear(); // Its topics were purged since.
        all.add(copy);
        List<Integer> tombstones = new ArrayList<>();
        Actor sweeper = world.add(copy, self -> sweep(self, all, without, WAIT, tombstones));
        int delay = world.random(WAIT / 2);
        Actor late = world.add(first, self -> {
            while (tombstones.isEmpty() || self.now() < tombstones.get(0) + delay) {
                self.step();
            }
            self.claimant().raise(ClaimWorld.TOPIC);
            self.requireBlobs();
            self.checked();
            for (int step = 0; step < 2 * WAIT; step++) {
                self.step();
            }
            self.requireBlobs();
            self.left();
        });
        return world.run(Set.of(sweeper, late), 4 * MOST_STEPS);
    }

    @Test
    void copyThatSweepsBesideAQuietOriginalDeletesNothingOfIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(playQuietOriginal(seed, Set.of())).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void originalThatStartsWithinTheWaitingTimeLosesNothing() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(playLateOriginal(seed, Set.of())).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void withoutChecksTheCopyDeletesALiveBlob() {
        assertThat(found(seed -> playQuietOriginal(seed, Set.of(Part.CHECKS))))
                .contains("of a live cluster was deleted");
    }

    @Test
    void withoutTheSecondWaitAnOriginalThatStartsComesTooLate() {
        assertThat(found(seed -> playLateOriginal(seed, Set.of(Part.SECOND_WAIT))))
                .contains("was gone within the waiting time");
    }

    @Test
    void withoutAskingBeforeDeletingAContestIsNotHeard() {
        assertThat(found(seed -> playLateOriginal(seed, Set.of(Part.ASK_BEFORE_DELETING))))
                .contains("of a live cluster was deleted");
    }

    /** The first violation of any seed; empty if there is none. */
    private static String found(LongFunction<List<String>> play) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            List<String> violations = play.apply(seed);
            if (!violations.isEmpty()) {
                return violations.get(0);
            }
        }
        return "";
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
        for (long seed = 0; seed < SEEDS; seed++) {
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
