package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerScenario.Instance;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Actor;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Blob;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Cluster;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Topics;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A hash of a world in 64 bits. It ignores differences that no later move can observe: the names of
 * ids and tokens, ids that no register holds or can still receive, ages beyond the longest wait,
 * and the order of equal instances.
 */
final class OwnerHash {
    /** The longest wait, except that for a smaller promise, which is {@link #ANNOUNCED}. */
    private static final int OLDEST = 4;

    private static final int ANNOUNCED = 6;

    private final OwnerWorld world;
    private final List<String> names = new ArrayList<>();
    private long hash = 0x9E3779B97F4A7C15L;

    OwnerHash(OwnerWorld world) {
        this.world = world;
    }

    long value() {
        name(world.text);
        if (world.backup != null) {
            name(world.backup);
        }
        for (Actor actor : world.actors) {
            if (actor.read != null) {
                name(actor.read);
            }
            if (actor.step != null && actor.held == world.version) {
                actor.step.replace().ifPresent(this::name);
            }
            if (actor.sweepStep != null && actor.sweepHeld == world.version) {
                actor.sweepStep.member().replace().ifPresent(this::name);
            }
        }
        add(world.text);
        add(world.backup);
        add(world.backup == null ? 0 : age(world.backupAt));
        add(world.backupBlobs);
        add(world.stored);
        for (Blob blob : world.blobs) {
            add(blob.owner());
            add(blob.cluster() * 2 + blob.app());
            add(blob.writer() < 0 ? 0 : 1);
            add(blob.age());
            add(blob.promise());
        }
        for (Cluster cluster : world.clusters) {
            add(cluster.isUp ? 1 : cluster.awayFor + 2);
            for (int app = 0; app < 2; app++) {
                add(cluster.topics[app]);
                add(cluster.saved[app]);
            }
        }
        actors();
        for (byte left : world.left) {
            add(left);
        }
        return hash;
    }

    private void name(OwnerText text) {
        new TreeMap<>(text.raises()).values().forEach(raise -> name(raise.id()));
        new TreeMap<>(text.doubts()).values().forEach(doubt -> name(doubt.token()));
        new TreeMap<>(text.lowers()).values().forEach(lower -> name(lower.token()));
    }

    private void name(String name) {
        if (!names.contains(name)) {
            names.add(name);
        }
    }

    private void actors() {
        Map<Instance, List<Long>> groups = new java.util.LinkedHashMap<>();
        long before = hash;
        for (int i = 0; i < world.actors.length; i++) {
            hash = 1;
            add(world.actors[i], i);
            groups.computeIfAbsent(world.instance(i), ignored -> new ArrayList<>())
                    .add(hash);
        }
        hash = before;
        for (List<Long> group : groups.values()) {
            long[] sorted = group.stream().mapToLong(Long::longValue).toArray();
            Arrays.sort(sorted);
            for (long one : sorted) {
                add((int) one);
                add((int) (one >>> 32));
            }
        }
    }

    private void add(Actor actor, int i) {
        add((actor.isUp ? 1 : 0)
                | (actor.reachesStore ? 2 : 0)
                | (actor.hasRights ? 4 : 0)
                | (actor.isChecked ? 8 : 0)
                | (actor.isComplete ? 16 : 0)
                | actor.promise << 5);
        for (Blob blob : world.blobs) {
            add(blob.writer() == i ? 1 : 0);
        }
        add(actor.state);
        add(actor.read);
        add(actor.step, actor.held);
        if (actor.read != null) {
            add(actor.held == world.version ? 1 : 0);
        }
        if (!world.instance(i).sweeps()) {
            return;
        }
        add(actor.at.ordinal());
        add(actor.sweeper.owner().orElse(0));
        add(actor.sweeper.token().map(this::named).orElse(-1));
        add(actor.sweeper.counter() < 0 ? -1 : (int) Math.max(0, actor.sweeper.counter() - world.text.counter()));
        SweepState sweep = actor.sweep;
        add(sweep.stage().ordinal());
        add(sweep.stage() == SweepState.Stage.LIST ? 0 : age(sweep.since() / 1_000_000_000L));
        sweep.promise().ifPresent(this::add);
        add(sweep.doubt());
        add(sweep.lower()
                .map(one ->
                        named(one.value()) * 16 + (int) Math.min(ANNOUNCED, world.now - one.since() / 1_000_000_000L))
                .orElse(-1));
        add(sweep.life()
                .map(life ->
                        named(life.substring(0, life.indexOf(' '))) * 64 + named(life.substring(life.indexOf(' ') + 1)))
                .orElse(-1));
        if (actor.sweepStep != null) {
            add(actor.sweepStep.member(), actor.sweepHeld);
            add(actor.sweepStep.order().ordinal());
            add(actor.sweepStep.next().stage().ordinal());
            add(actor.sweepStep.next().doubt());
            add(actor.sweepStep.next().lower());
        }
        add(actor.listed);
        add(actor.settled);
        add(actor.tombs);
        add(actor.ids);
        add(actor.starts);
        add(actor.present);
        add(actor.members);
    }

    /** A step whose register has changed fails, regardless of what it writes. */
    private void add(@Nullable Step step, int held) {
        if (step == null) {
            add(0);
        } else if (step.replace().isPresent() && held != world.version) {
            add(1);
        } else {
            add(2);
            add(step.verdict().ordinal());
            add(step.replace().orElse(null));
            add(step.next());
        }
    }

    private void add(MemberState state) {
        add(state.owner().orElse(0));
        add(state.hasRaised() ? 1 : 0);
        add(state.line());
        add(state.token().map(this::named).orElse(-1));
        add(state.checkedAt().map(at -> Math.min(2, age(at / 1_000_000_000L))).orElse(-1));
        long ahead = state.counter() - world.text.counter();
        add(state.counter() < 0 ? -1 : (int) Math.max(0, ahead));
    }

    private void add(Optional<Seen> seen) {
        add(seen.map(one -> named(one.value()) * 16 + age(one.since() / 1_000_000_000L))
                .orElse(-1));
    }

    private int named(String name) {
        return names.indexOf(name) + 1;
    }

    private int age(long then) {
        return (int) Math.min(OLDEST, world.now - then);
    }

    private void add(Topics topics) {
        add((topics.hasClaims() ? 1 : 0) | (topics.hasLog() ? 2 : 0));
        for (String name : names) {
            add(topics.raises().contains(name) ? 1 : 0);
        }
        for (int owner : topics.owners()) {
            add(owner);
        }
        add(-2);
        add(topics.visible());
        add(topics.pending());
        add(topics.start());
        add(topics.id());
        add(topics.refill());
        add(topics.refillAge());
    }

    private void add(@Nullable OwnerText text) {
        if (text == null) {
            add(0);
            return;
        }
        add((int) Math.min(20, world.text.counter() - text.counter()));
        for (String cluster : new String[] {"C", "D"}) {
            OwnerText.Raise raise = text.raises().get(cluster);
            add(raise == null ? 0 : raise.topic().hashCode());
            add(raise == null ? 0 : named(raise.id()));
            add(text.token(cluster).map(this::named).orElse(0));
            add(text.isContested(cluster) ? 1 : 0);
        }
        for (int owner = 1; owner < world.nextOwner; owner++) {
            OwnerText.Owner line = text.owners().get(owner);
            OwnerText.Lower lower = text.lowers().get(owner);
            add(line == null ? 0 : line.cluster().hashCode() * 31 + line.topic().hashCode());
            if (line != null) {
                add(line.promise());
            }
            if (lower != null) {
                add(lower.promise());
                add(named(lower.token()));
            }
        }
        add(-3);
    }

    private void add(Promise promise) {
        add((int) promise.bound().toSeconds());
        add(promise.retention().map(age -> (int) age.toSeconds() + 1).orElse(0));
    }

    private void add(int value) {
        hash = (hash ^ value) * 0xBF58476D1CE4E5B9L;
        hash ^= hash >>> 29;
        hash = hash * 0x94D049BB133111EBL;
        hash ^= hash >>> 32;
    }
}
