package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.store.Register;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;

/**
 * One store and two clusters, in which actors run one step at a time in an order that a seed
 * decides. An actor may crash before any step. Every access to the register, to a memory, to blobs
 * and to logs is a step. Guarded by the turn: one actor runs at a time.
 */
final class ClaimWorld {
    static final Set<String> TOPIC = Set.of("app-blobshuffle-claims");

    private final Random random;
    private final List<Actor> actors = new ArrayList<>();
    private final Semaphore back = new Semaphore(0);
    private final Set<Integer> blobs = new TreeSet<>();
    private final List<String> violations = new ArrayList<>();
    private Optional<Register> register = Optional.empty();
    private int nextBlob;
    private int nextId;
    private int forgotten;
    private int crashesLeft;
    private int steps;

    ClaimWorld(long seed, int crashes) {
        random = new Random(seed);
        crashesLeft = crashes;
    }

    /** What a cluster knows. */
    static final class Cluster {
        final String id;
        final Map<String, Long> memory = new LinkedHashMap<>();
        final Set<Integer> log = new TreeSet<>();
        final Set<Integer> onTheWay = new TreeSet<>();
        /** Each instance's number of finished checks. */
        final Map<Integer, Integer> checks = new LinkedHashMap<>();

        Cluster(String id) {
            this.id = id;
        }

        /** A copy of the volumes: the same id, memory and log. */
        Cluster copy() {
            Cluster copy = new Cluster(id);
            copy.memory.putAll(memory);
            copy.log.addAll(log);
            return copy;
        }
    }

    /** What an actor does; runs from its beginning again after a crash. */
    interface Work {
        void run(Actor self) throws InterruptedException;
    }

    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final class Actor implements Runnable {
        final Cluster cluster;
        private final Work work;
        private final Semaphore turn = new Semaphore(0);
        private final int number = actors.size();
        private boolean isDone;

        Actor(Cluster cluster, Work work) {
            this.cluster = cluster;
            this.work = work;
        }

        @Override
        public void run() {
            turn.acquireUninterruptibly();
            try {
                boolean isOver = false;
                while (!isOver) {
                    try {
                        work.run(this);
                        isOver = true;
                    } catch (Crash e) {
                        cluster.onTheWay.clear(); // What it had stored and not told is an orphan.
                    }
                }
            } catch (InterruptedException | RuntimeException e) {
                violations.add("actor failed: " + e);
            } finally {
                isDone = true;
                back.release();
            }
        }

        /** Lets others run; the actor may not come back. */
        void step() {
            back.release();
            turn.acquireUninterruptibly();
            if (crashesLeft > 0 && random.nextInt(60) == 0) {
                crashesLeft--;
                throw new Crash();
            }
        }

        Claimant claimant() {
            return new Claimant(
                    new Cell(), cluster.id, topic -> new Memory(), () -> "id" + nextId++, attempt -> step(), 0);
        }

        void write() {
            step();
            int blob = nextBlob++;
            cluster.onTheWay.add(blob);
            blobs.add(blob);
            step();
            cluster.onTheWay.remove(blob);
            cluster.log.add(blob);
        }

        /** Kafka lets go of the oldest notifications. */
        void purge() {
            step();
            List<Integer> held = new ArrayList<>(cluster.log);
            held.subList(0, held.size() / 2).forEach(cluster.log::remove);
        }

        /** It is live from here on, and waits for nobody's check. */
        void checked() {
            cluster.checks.merge(number, 1, Integer::sum);
        }

        /** It ends, and nobody waits for its checks any more. */
        void left() {
            cluster.checks.remove(number);
        }

        /** Checks that the store has every blob to which the cluster's log leads. */
        void requireBlobs() {
            step();
            cluster.log.stream()
                    .filter(blob -> !blobs.contains(blob))
                    .forEach(blob -> violations.add("blob " + blob + " was gone within the waiting time"));
        }

        /** Steps of the world until now. */
        int now() {
            return steps;
        }

        Set<Integer> list() {
            step();
            return new HashSet<>(blobs);
        }

        Set<Integer> log() {
            step();
            return new HashSet<>(cluster.log);
        }

        /** Until nothing is on the way that was when the wait began. */
        void awaitNotifications() {
            Set<Integer> before = new HashSet<>(cluster.onTheWay);
            do {
                step();
            } while (cluster.onTheWay.stream().anyMatch(before::contains));
        }

        /**
         * The waiting time: every live instance begins and ends a check in it.
         *
         * @param least steps that it lasts at least
         */
        void awaitChecks(int least, Cluster... all) {
            int end = steps + least;
            List<Map<Integer, Integer>> before = new ArrayList<>();
            for (Cluster one : all) {
                before.add(new LinkedHashMap<>(one.checks));
            }
            boolean isOver = false;
            while (!isOver) {
                step();
                isOver = steps >= end;
                for (int i = 0; i < all.length; i++) {
                    for (Map.Entry<Integer, Integer> old : before.get(i).entrySet()) {
                        isOver &= all[i].checks.getOrDefault(old.getKey(), 0) >= old.getValue() + 2;
                    }
                }
            }
        }

        void delete(Set<Integer> some, Cluster... all) {
            step();
            for (Cluster one : all) {
                for (int blob : some) {
                    boolean isLive = !one.checks.isEmpty();
                    if (isLive && (one.log.contains(blob) || one.onTheWay.contains(blob))) {
                        violations.add("blob " + blob + " of a live cluster was deleted");
                    }
                }
            }
            blobs.removeAll(some);
        }

        private final class Cell implements ClaimCell {
            @Override
            public Optional<Register> read() {
                step();
                return register;
            }

            @Override
            public boolean replace(Optional<Register> expected, String text) {
                step();
                boolean isWritten = register.equals(expected);
                if (isWritten) {
                    String version = Integer.toString(
                            register.map(r -> Integer.parseInt(r.version())).orElse(0) + 1);
                    register = Optional.of(new Register(version, text, Instant.EPOCH));
                }
                boolean isAnswerLost = random.nextInt(12) == 0;
                step();
                if (isAnswerLost) {
                    throw new StoreUnavailable("Cannot write the register: the answer is lost. Read it again.");
                }
                return isWritten;
            }
        }

        private final class Memory implements ClaimMemory {
            @Override
            public Set<String> known() {
                step();
                return new HashSet<>(cluster.memory.keySet());
            }

            @Override
            public void remember(String id, long counter) {
                step();
                cluster.memory.put(id, counter);
                step();
            }

            @Override
            public void forget(long before, Set<String> kept) {
                step();
                List<String> old = cluster.memory.entrySet().stream()
                        .filter(entry -> entry.getValue() < before && !kept.contains(entry.getKey()))
                        .map(Map.Entry::getKey)
                        .toList();
                step(); // A topic is read first, and then gets its tombstones.
                old.forEach(cluster.memory::remove);
                forgotten += old.size();
                step();
            }
        }
    }

    /** Why nothing may be deleted, if so. */
    Optional<String> contest() {
        return register.flatMap(held -> ClaimText.parse(held.text()).contest());
    }

    /** The id in a cluster's line; empty without one. Not a step. */
    Optional<String> lineId(Cluster cluster, String topic) {
        return register.flatMap(held -> ClaimText.parse(held.text()).line(cluster.id, topic))
                .map(ClaimText.Line::id);
    }

    /** Notes that the protocol broke a promise. */
    void violated(String promise) {
        violations.add(promise);
    }

    /** Ids that were cleaned up. */
    int forgotten() {
        return forgotten;
    }

    Actor add(Cluster cluster, Work work) {
        Actor actor = new Actor(cluster, work);
        actors.add(actor);
        Thread thread = new Thread(actor, "claim-actor-" + actors.size());
        thread.setDaemon(true);
        thread.start();
        return actor;
    }

    int random(int bound) {
        return random.nextInt(bound);
    }

    /** Runs actors until those that count have ended; the rest is abandoned. */
    List<String> run(Set<Actor> until, int mostSteps) {
        for (int step = 0; step < mostSteps && !until.stream().allMatch(actor -> actor.isDone); step++) {
            List<Actor> ready = actors.stream().filter(actor -> !actor.isDone).toList();
            Actor next = ready.get(random.nextInt(ready.size()));
            steps++;
            next.turn.release();
            back.acquireUninterruptibly();
        }
        return violations;
    }

    /** Blobs in the store. */
    int size() {
        return blobs.size();
    }
}
