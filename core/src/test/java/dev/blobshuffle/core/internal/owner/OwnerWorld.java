package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerScenario.Instance;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Limited;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Point;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Second;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of one store, up to two clusters with two applications each, and their instances. A
 * copy shares unchanged parts. Owned by one thread.
 */
final class OwnerWorld {
    static final String[] TOPICS = {"a", "b"};

    final OwnerScenario scenario;
    OwnerText text = OwnerText.NONE;
    int version;

    @Nullable
    OwnerText backup;

    int backupBlobs;
    int backupAt;
    int now;
    int fresh;
    int nextOwner = 1;
    int stored;
    Blob[] blobs = new Blob[0];
    Cluster[] clusters;
    Actor[] actors;
    byte[] left;

    @Nullable
    String violation;

    /** A blob; {@code writer} is -1 if its notification cannot be sent any more. */
    record Blob(int owner, int writer, int cluster, int app, int age, Promise promise) {
        Blob by(int instance) {
            return new Blob(owner, instance, cluster, app, age, promise);
        }

        Blob older() {
            return new Blob(owner, writer, cluster, app, Math.min(age + 1, 4), promise);
        }
    }

    /** One application's topics in one cluster: masks of blobs for the log. */
    record Topics(
            boolean hasClaims,
            boolean hasLog,
            Set<String> raises,
            List<Integer> owners,
            int visible,
            int pending,
            int start,
            int id,
            int refill,
            int refillAge) {
        static final Topics NONE = new Topics(false, false, Set.of(), List.of(), 0, 0, 0, 0, 0, 0);
        static final Topics EMPTY = new Topics(true, true, Set.of(), List.of(), 0, 0, 0, 0, 0, 0);

        Topics claims(Set<String> ids, List<Integer> made) {
            return new Topics(true, hasLog, ids, made, visible, pending, start, id, refill, refillAge);
        }

        Topics log(int nowVisible, int nowPending, int nowStart) {
            return new Topics(hasClaims, true, raises, owners, nowVisible, nowPending, nowStart, id, refill, refillAge);
        }

        Topics again(int nowId, int nowRefill, int age, int nowVisible) {
            return new Topics(hasClaims, hasLog, raises, owners, nowVisible, 0, start, nowId, nowRefill, age);
        }
    }

    /** A cluster's Kafka. */
    static final class Cluster implements Cloneable {
        Topics[] topics = {Topics.NONE, Topics.NONE};
        Topics[] saved = {Topics.NONE, Topics.NONE};
        boolean isUp = true;
        int awayFor;

        Cluster copy() {
            try {
                Cluster copy = (Cluster) super.clone();
                copy.topics = topics.clone();
                copy.saved = saved.clone();
                return copy;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        boolean isComplete() {
            return topics[0].hasClaims && topics[0].hasLog && topics[1].hasClaims && topics[1].hasLog;
        }
    }

    /** The stage of a sweeper. */
    enum Sweeping {
        STEP,
        WRITE,
        LIST,
        SETTLED,
        READ,
        ASK,
        DELETE
    }

    /** An instance. */
    static final class Actor implements Cloneable {
        boolean isUp;
        boolean reachesStore = true;
        boolean hasRights = true;
        int promise;
        MemberState state = MemberState.NEW;
        boolean isChecked;
        boolean isComplete;

        @Nullable
        OwnerText read;

        @Nullable
        Step step;

        int held;
        Sweeping at = Sweeping.STEP;
        SweepState sweep = SweepState.NEW;
        MemberState sweeper = MemberState.NEW;

        @Nullable
        SweepStep sweepStep;

        int sweepHeld;
        int listed;
        int settled;
        int tombs;
        int ids;
        int starts;
        int present;
        int members;

        Actor copy() {
            try {
                return (Actor) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    OwnerWorld(OwnerScenario scenario) {
        this.scenario = scenario;
        clusters = new Cluster[] {new Cluster(), new Cluster()};
        clusters[0].topics = new Topics[] {Topics.EMPTY, Topics.EMPTY};
        if (scenario.second == Second.TWIN || scenario.second == Second.OTHER) {
            clusters[1].topics = new Topics[] {Topics.EMPTY, Topics.EMPTY};
        }
        actors = new Actor[scenario.instances.size()];
        for (int i = 0; i < actors.length; i++) {
            actors[i] = new Actor();
        }
        left = new byte[Limited.values().length];
        for (Limited what : Limited.values()) {
            left[what.ordinal()] = (byte) scenario.limit(what);
        }
    }

    private OwnerWorld(OwnerWorld other) {
        scenario = other.scenario;
        text = other.text;
        version = other.version;
        backup = other.backup;
        backupBlobs = other.backupBlobs;
        backupAt = other.backupAt;
        now = other.now;
        fresh = other.fresh;
        nextOwner = other.nextOwner;
        stored = other.stored;
        blobs = other.blobs.clone();
        clusters = other.clusters.clone();
        actors = other.actors.clone();
        left = other.left.clone();
    }

    OwnerWorld copy() {
        return new OwnerWorld(this);
    }

    Instance instance(int i) {
        return scenario.instances.get(i);
    }

    /** An instance that may be changed. */
    Actor actor(int i) {
        actors[i] = actors[i].copy();
        return actors[i];
    }

    /** A cluster that may be changed. */
    Cluster cluster(int k) {
        clusters[k] = clusters[k].copy();
        return clusters[k];
    }

    boolean has(Limited what) {
        return left[what.ordinal()] > 0;
    }

    void use(Limited what) {
        left[what.ordinal()]--;
    }

    long nanos() {
        return OwnerScenario.ticks(now).toNanos();
    }

    Fresh values() {
        fresh++;
        return new Fresh("i" + fresh, "t" + fresh, nextOwner);
    }

    MemberRules rules(int i) {
        Instance instance = instance(i);
        Member member = new Member(
                scenario.clusterId(instance.cluster()),
                TOPICS[instance.app()],
                instance.promises().get(actors[i].promise));
        OwnerTiming timing = scenario.has(Point.RAISE_AGAIN)
                ? OwnerScenario.TIMING
                : new OwnerTiming(OwnerScenario.ticks(1), OwnerScenario.ticks(1000), OwnerScenario.ticks(1));
        return new MemberRules(member, timing);
    }

    SweepRules sweepRules(int i) {
        Instance instance = instance(i);
        Member member = new Member(
                scenario.clusterId(instance.cluster()),
                TOPICS[instance.app()],
                instance.promises().get(actors[i].promise));
        MemberRules rules = new MemberRules(member, OwnerScenario.TIMING);
        return instance.forgets().isPresent()
                ? SweepRules.forgetting(rules, instance.forgets().get())
                : SweepRules.own(rules);
    }

    /** What an instance reads from a claims topic. */
    ClaimsTopic read(int i, String topic) {
        Instance instance = instance(i);
        boolean isOwn = topic.equals(TOPICS[instance.app()]);
        if (!clusters[instance.cluster()].isUp || (!isOwn && !actors[i].hasRights)) {
            return new ClaimsTopic.Unreadable("no access");
        }
        Topics topics = clusters[instance.cluster()].topics[topic.equals(TOPICS[0]) ? 0 : 1];
        return new ClaimsTopic.Known(topics.raises(), topics.owners());
    }

    boolean canWrite(int i) {
        return clusters[instance(i).cluster()].isUp;
    }

    void remember(int i, Step.Remember record) {
        Instance instance = instance(i);
        Topics before = clusters[instance.cluster()].topics[instance.app()];
        Set<String> ids = before.raises();
        List<Integer> owners = before.owners();
        if (record instanceof Step.Remember.Raise raise) {
            Set<String> more = new TreeSet<>(ids);
            more.add(raise.id());
            ids = more;
        } else {
            int owner = ((Step.Remember.Owner) record).owner();
            owners = new java.util.ArrayList<>(owners);
            owners.add(owner);
            nextOwner = Math.max(nextOwner, owner + 1);
        }
        cluster(instance.cluster()).topics[instance.app()] = before.claims(ids, owners);
    }

    void write(OwnerText next) {
        text = next;
        version++;
    }

    /** Clusters with an instance that reaches the store and has ended a check. */
    int present() {
        int mask = 0;
        for (int i = 0; i < actors.length; i++) {
            if (actors[i].isUp && actors[i].reachesStore && actors[i].isComplete) {
                mask |= 1 << instance(i).cluster();
            }
        }
        return mask;
    }

    /** Instances that reach the store and have ended a check. */
    int members() {
        int mask = 0;
        for (int i = 0; i < actors.length; i++) {
            mask |= actors[i].isUp && actors[i].reachesStore && actors[i].isComplete ? 1 << i : 0;
        }
        return mask;
    }

    boolean isStored(int blob) {
        return (stored & 1 << blob) != 0;
    }

    /** Whether a notification of the blob is in a cluster's log or can still get there. */
    boolean isNamed(int blob, int k) {
        boolean isNamed = false;
        for (Topics topics : clusters[k].topics) {
            isNamed |= ((topics.visible() | topics.pending() | topics.refill()) & 1 << blob) != 0;
        }
        return isNamed || (blobs[blob].cluster() == k && blobs[blob].writer() >= 0);
    }

    /** The blobs of an owner, or all if owners do not count. */
    int listable(int owner, Optional<Promise> promise) {
        int mask = 0;
        for (int blob = 0; blob < blobs.length; blob++) {
            boolean isOwn = blobs[blob].owner() == owner || !scenario.has(Point.OWNER_SCOPE);
            int age = blobs[blob].age();
            boolean isOld = promise.flatMap(Promise::retention)
                    .filter(retention -> OwnerScenario.ticks(age).compareTo(retention) < 0)
                    .isEmpty();
            mask |= isStored(blob) && isOwn && isOld ? 1 << blob : 0;
        }
        return mask;
    }

    @Override
    public String toString() {
        return text.text() + Arrays.toString(blobs);
    }
}
