package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerScenario.Instance;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Limited;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Point;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Actor;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Blob;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Cluster;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Topics;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** All possible next moves in a world, except those of sweepers. */
final class OwnerMoves {
    /** The kinds of moves. */
    enum Kind {
        TICK,
        START,
        CRASH,
        CHECK,
        READ_REGISTER,
        READ_TOPIC,
        WRITE,
        LOSE_ANSWER,
        SEAL,
        NOTIFY,
        NOTIFY_LATE,
        SHOW,
        PURGE,
        SWEEP,
        SWEEP_WRITE,
        SWEEP_LOSE_ANSWER,
        LIST,
        SETTLED,
        READ_LOGS,
        ASK,
        DELETE,
        STORE_AWAY,
        STORE_BACK,
        BROKERS_AWAY,
        BROKERS_BACK,
        RIGHTS_LOST,
        RIGHTS_BACK,
        COPY,
        STORE_BACKUP,
        STORE_RESTORE,
        KAFKA_BACKUP,
        KAFKA_RESTORE,
        TOPIC_AGAIN,
        REFILL,
        SETTLE
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int MOST = 8;

    private OwnerMoves() {}

    /** Moves are numbers below this. */
    static int count() {
        return KINDS.length * MOST;
    }

    static int code(Kind kind, int argument) {
        return kind.ordinal() * MOST + argument;
    }

    static Kind kind(int code) {
        return KINDS[code / MOST];
    }

    /** The moves that some state of a scenario may allow. */
    static int[] of(OwnerScenario scenario) {
        List<Integer> codes = new ArrayList<>();
        for (int code = 0; code < count(); code++) {
            int argument = code % MOST;
            boolean isMeant = switch (kind(code)) {
                case TICK, STORE_BACKUP, STORE_RESTORE -> argument == 0;
                case NOTIFY, NOTIFY_LATE -> argument < scenario.limit(Limited.SEAL);
                case COPY, KAFKA_BACKUP -> argument < (scenario.isByTopic ? 4 : 1);
                case SHOW, PURGE, TOPIC_AGAIN, REFILL -> argument < 4;
                case BROKERS_AWAY, BROKERS_BACK, KAFKA_RESTORE -> argument < 2;
                case START -> argument < 2 * scenario.instances.size();
                default -> argument < scenario.instances.size();
            };
            if (isMeant) {
                codes.add(code);
            }
        }
        return codes.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Makes a move; null if it is not possible. The world stays as it is. */
    static @org.jspecify.annotations.Nullable OwnerWorld after(OwnerWorld world, int code) {
        int argument = code % MOST;
        if (!isPossible(world, kind(code), argument)) {
            return null;
        }
        OwnerWorld next = world.copy();
        return make(next, kind(code), argument) ? next : null;
    }

    static String describe(OwnerWorld world, int code) {
        int argument = code % MOST;
        String what = kind(code).name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        return switch (kind(code)) {
            case TICK, STORE_BACKUP, STORE_RESTORE -> what;
            case NOTIFY, NOTIFY_LATE -> what + " blob " + argument;
            case COPY, KAFKA_BACKUP -> what + (world.scenario.isByTopic ? " part " + argument : "");
            case SHOW, PURGE, TOPIC_AGAIN, REFILL -> what + " log " + (argument % 2) + " of cluster " + argument / 2;
            case BROKERS_AWAY, BROKERS_BACK, KAFKA_RESTORE -> what + " in cluster " + argument;
            case START -> {
                Instance instance = world.instance(argument / 2);
                yield name(world, argument / 2) + ": start with "
                        + instance.promises().get(argument % 2).words();
            }
            default -> name(world, argument) + ": " + what;
        };
    }

    private static String name(OwnerWorld world, int i) {
        Instance instance = world.instance(i);
        return (instance.cluster() == 0 ? "O" : world.scenario.second.name().toLowerCase(java.util.Locale.ROOT)) + "."
                + OwnerWorld.TOPICS[instance.app()] + "#" + i;
    }

    private static boolean isPossible(OwnerWorld w, Kind kind, int n) {
        return switch (kind) {
            case TICK -> isQuiet(w);
            case START ->
                !w.actors[n / 2].isUp
                        && w.has(Limited.START)
                        && n % 2 < w.instance(n / 2).promises().size()
                        && w.clusters[w.instance(n / 2).cluster()].isComplete();
            case CRASH -> w.actors[n].isUp && w.has(Limited.CRASH);
            case CHECK -> !w.scenario.isFine && reaches(w, n) && !w.actors[n].isChecked;
            case READ_REGISTER -> w.scenario.isFine && reaches(w, n) && !w.actors[n].isChecked && isIdle(w.actors[n]);
            case READ_TOPIC -> reaches(w, n) && w.actors[n].read != null;
            case WRITE -> reaches(w, n) && w.actors[n].step != null;
            case LOSE_ANSWER -> reaches(w, n) && w.actors[n].step != null && w.has(Limited.LOST_ANSWER);
            case SEAL -> w.actors[n].isUp && w.has(Limited.SEAL) && mayStore(w, n);
            case NOTIFY -> n < w.blobs.length && canNotify(w, n);
            case NOTIFY_LATE -> n < w.blobs.length && canNotify(w, n) && w.has(Limited.LATE_NOTIFICATION);
            case SHOW -> w.clusters[n / 2].isUp && w.clusters[n / 2].topics[n % 2].pending() != 0;
            case PURGE ->
                w.has(Limited.PURGE) && w.clusters[n / 2].isUp && w.clusters[n / 2].topics[n % 2].visible() != 0;
            case SWEEP, SWEEP_WRITE, SWEEP_LOSE_ANSWER, LIST, SETTLED, READ_LOGS, ASK, DELETE ->
                w.instance(n).sweeps() && reaches(w, n) && OwnerSweeps.isPossible(w, kind, n);
            case STORE_AWAY -> reaches(w, n) && w.actors[n].isComplete && w.has(Limited.STORE_AWAY);
            case STORE_BACK -> w.actors[n].isUp && !w.actors[n].reachesStore;
            case BROKERS_AWAY -> w.clusters[n].isUp && w.clusters[n].isComplete() && w.has(Limited.BROKERS_AWAY);
            case BROKERS_BACK -> !w.clusters[n].isUp;
            case RIGHTS_LOST -> w.actors[n].hasRights && w.has(Limited.RIGHTS_LOST);
            case RIGHTS_BACK -> !w.actors[n].hasRights;
            case COPY -> w.scenario.isCopyPair() && w.clusters[0].isUp && !isCopied(w, n);
            case STORE_BACKUP -> w.has(Limited.STORE_RESTORE) && w.backup == null;
            case STORE_RESTORE -> w.has(Limited.STORE_RESTORE) && w.backup != null && w.now - w.backupAt >= 2;
            case KAFKA_BACKUP -> w.has(Limited.KAFKA_RESTORE) && w.clusters[0].isUp && !isSaved(w, n);
            case KAFKA_RESTORE ->
                n == 0
                        && w.has(Limited.KAFKA_RESTORE)
                        && !w.clusters[0].isUp
                        && w.clusters[0].awayFor > 0
                        && isAllSaved(w);
            case TOPIC_AGAIN ->
                w.has(Limited.TOPIC_AGAIN) && w.clusters[n / 2].isUp && w.clusters[n / 2].topics[n % 2].visible() != 0;
            case REFILL -> w.clusters[n / 2].topics[n % 2].refill() != 0;
            case SETTLE ->
                w.has(Limited.SETTLE)
                        && reaches(w, n)
                        && w.text.isContested(w.scenario.clusterId(w.instance(n).cluster()))
                        && w.canWrite(n);
        };
    }

    static boolean reaches(OwnerWorld w, int i) {
        return w.actors[i].isUp && w.actors[i].reachesStore;
    }

    private static boolean isIdle(Actor actor) {
        return actor.read == null && actor.step == null;
    }

    /** Whether time may advance: every live instance has checked, and a topic is filled again. */
    private static boolean isQuiet(OwnerWorld w) {
        for (Actor actor : w.actors) {
            if (actor.isUp && actor.reachesStore && (!actor.isChecked || !isIdle(actor))) {
                return false;
            }
        }
        for (Cluster cluster : w.clusters) {
            for (Topics topics : cluster.topics) {
                if (topics.refill() != 0 && topics.refillAge() > 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean mayStore(OwnerWorld w, int i) {
        MemberState state = w.actors[i].state;
        return w.scenario.has(Point.STORES_ONLY_CHECKED)
                ? state.mayStore(OwnerScenario.TIMING, w.nanos())
                : state.owner().isPresent() && state.checkedAt().isPresent();
    }

    private static boolean canNotify(OwnerWorld w, int blob) {
        return w.blobs[blob].writer() >= 0 && w.clusters[w.blobs[blob].cluster()].isUp;
    }

    private static boolean isCopied(OwnerWorld w, int part) {
        Topics copy = w.clusters[1].topics[part % 2];
        return w.scenario.isByTopic ? (part < 2 ? copy.hasClaims() : copy.hasLog()) : copy.hasLog();
    }

    private static boolean isSaved(OwnerWorld w, int part) {
        Topics copy = w.clusters[0].saved[part % 2];
        return w.scenario.isByTopic ? (part < 2 ? copy.hasClaims() : copy.hasLog()) : copy.hasLog();
    }

    private static boolean isAllSaved(OwnerWorld w) {
        Topics[] saved = w.clusters[0].saved;
        return saved[0].hasClaims() && saved[0].hasLog() && saved[1].hasClaims() && saved[1].hasLog();
    }

    private static boolean make(OwnerWorld w, Kind kind, int n) {
        switch (kind) {
            case TICK -> tick(w);
            case START -> start(w, n);
            case CRASH -> crash(w, n);
            case CHECK -> check(w, n);
            case READ_REGISTER -> readRegister(w.actor(n), w);
            case READ_TOPIC -> readTopic(w, n);
            case WRITE -> write(w, n, false);
            case LOSE_ANSWER -> {
                w.use(Limited.LOST_ANSWER);
                write(w, n, true);
            }
            case SEAL -> seal(w, n);
            case NOTIFY -> notify(w, n, false);
            case NOTIFY_LATE -> {
                w.use(Limited.LATE_NOTIFICATION);
                notify(w, n, true);
            }
            case SHOW -> {
                Topics log = w.clusters[n / 2].topics[n % 2];
                w.cluster(n / 2).topics[n % 2] = log.log(log.visible() | log.pending(), 0, log.start());
            }
            case PURGE -> {
                w.use(Limited.PURGE);
                Topics log = w.clusters[n / 2].topics[n % 2];
                w.cluster(n / 2).topics[n % 2] = log.log(0, log.pending(), log.start() + 1);
            }
            case SWEEP, SWEEP_WRITE, SWEEP_LOSE_ANSWER, LIST, SETTLED, READ_LOGS, ASK, DELETE -> {
                return OwnerSweeps.make(w, kind, n);
            }
            default -> fault(w, kind, n);
        }
        return true;
    }

    private static void fault(OwnerWorld w, Kind kind, int n) {
        switch (kind) {
            case STORE_AWAY -> {
                w.use(Limited.STORE_AWAY);
                Actor actor = w.actor(n);
                actor.reachesStore = false;
                actor.read = null;
                actor.step = null;
            }
            case STORE_BACK -> w.actor(n).reachesStore = true;
            case BROKERS_AWAY -> {
                w.use(Limited.BROKERS_AWAY);
                w.cluster(n).isUp = false;
                w.clusters[n].awayFor = 0;
            }
            case BROKERS_BACK -> w.cluster(n).isUp = true;
            case RIGHTS_LOST -> {
                w.use(Limited.RIGHTS_LOST);
                w.actor(n).hasRights = false;
            }
            case RIGHTS_BACK -> w.actor(n).hasRights = true;
            case COPY -> part(w.clusters[0].topics, w.cluster(1).topics, n, w.scenario.isByTopic);
            case STORE_BACKUP -> {
                w.backup = w.text;
                w.backupBlobs = w.stored;
                w.backupAt = w.now;
            }
            case STORE_RESTORE -> {
                w.use(Limited.STORE_RESTORE);
                w.write(java.util.Objects.requireNonNull(w.backup));
                w.stored = w.backupBlobs;
                w.backup = null;
            }
            case KAFKA_BACKUP -> part(w.clusters[0].topics, w.cluster(0).saved, n, w.scenario.isByTopic);
            case KAFKA_RESTORE -> {
                w.use(Limited.KAFKA_RESTORE);
                w.cluster(0).topics = w.clusters[0].saved.clone();
                w.clusters[0].isUp = true;
            }
            case TOPIC_AGAIN -> {
                w.use(Limited.TOPIC_AGAIN);
                Topics log = w.clusters[n / 2].topics[n % 2];
                w.cluster(n / 2).topics[n % 2] = log.again(log.id() + 1, log.visible(), 0, 0);
            }
            case REFILL -> {
                Topics log = w.clusters[n / 2].topics[n % 2];
                w.cluster(n / 2).topics[n % 2] = log.again(log.id(), 0, 0, log.visible() | log.refill());
            }
            case SETTLE -> {
                w.use(Limited.SETTLE);
                Step step = w.rules(n).settle(w.text, w.actors[n].state, w.values());
                w.remember(n, step.remember().orElseThrow());
                OwnerText text = step.replace().orElseThrow();
                String cluster = w.scenario.clusterId(w.instance(n).cluster());
                w.write(w.scenario.has(Point.SETTLING_DOUBTS) ? text : text.trusted(cluster));
            }
            default -> throw new AssertionError(kind);
        }
    }

    private static void part(Topics[] from, Topics[] to, int part, boolean isByTopic) {
        if (isByTopic) {
            Topics source = from[part % 2];
            Topics before = to[part % 2];
            to[part % 2] = part < 2
                    ? before.claims(source.raises(), source.owners())
                    : new Topics(
                            before.hasClaims(),
                            true,
                            before.raises(),
                            before.owners(),
                            source.visible(),
                            0,
                            source.start(),
                            source.id(),
                            0,
                            0);
        } else {
            for (int app = 0; app < 2; app++) {
                Topics source = from[app];
                to[app] = source.log(source.visible(), 0, source.start());
            }
        }
    }

    private static void tick(OwnerWorld w) {
        w.now++;
        for (int blob = 0; blob < w.blobs.length; blob++) {
            Blob older = w.blobs[blob].older();
            boolean isOver =
                    OwnerScenario.ticks(older.age()).compareTo(older.promise().bound()) > 0;
            w.blobs[blob] = isOver ? older.by(-1) : older;
        }
        for (int i = 0; i < w.actors.length; i++) {
            if (w.actors[i].isChecked) {
                w.actor(i).isChecked = false;
            }
        }
        for (int k = 0; k < 2; k++) {
            if (!w.clusters[k].isUp) {
                w.cluster(k).awayFor = 1;
            }
            for (int app = 0; app < 2; app++) {
                Topics log = w.clusters[k].topics[app];
                if (log.refill() != 0) {
                    w.cluster(k).topics[app] = log.again(log.id(), log.refill(), 1, log.visible());
                }
            }
        }
    }

    private static void start(OwnerWorld w, int n) {
        w.use(Limited.START);
        Actor actor = new Actor();
        actor.isUp = true;
        actor.promise = n % 2;
        actor.hasRights = w.actors[n / 2].hasRights;
        w.actors[n / 2] = actor;
    }

    private static void crash(OwnerWorld w, int n) {
        w.use(Limited.CRASH);
        Actor actor = new Actor();
        actor.hasRights = w.actors[n].hasRights;
        w.actors[n] = actor;
        for (int blob = 0; blob < w.blobs.length; blob++) {
            if (w.blobs[blob].writer() == n) {
                w.blobs[blob] = w.blobs[blob].by(-1);
            }
        }
    }

    private static void seal(OwnerWorld w, int n) {
        w.use(Limited.SEAL);
        Instance instance = w.instance(n);
        w.blobs = Arrays.copyOf(w.blobs, w.blobs.length + 1);
        w.blobs[w.blobs.length - 1] = new Blob(
                w.actors[n].state.owner().orElseThrow(),
                n,
                instance.cluster(),
                instance.app(),
                0,
                instance.promises().get(w.actors[n].promise));
        w.stored |= 1 << (w.blobs.length - 1);
    }

    private static void notify(OwnerWorld w, int n, boolean isLate) {
        Blob blob = w.blobs[n];
        w.blobs[n] = blob.by(-1);
        Topics log = w.clusters[blob.cluster()].topics[blob.app()];
        int bit = 1 << n;
        w.cluster(blob.cluster()).topics[blob.app()] =
                log.log(log.visible() | (isLate ? 0 : bit), log.pending() | (isLate ? bit : 0), log.start());
    }

    /** A whole check in one move. */
    private static void check(OwnerWorld w, int n) {
        for (int attempt = 0; !w.actors[n].isChecked && attempt < 5; attempt++) {
            readRegister(w.actor(n), w);
            readTopic(w, n);
            if (w.actors[n].step != null) {
                write(w, n, false);
            }
        }
    }

    private static void readRegister(Actor actor, OwnerWorld w) {
        actor.read = w.text;
        actor.held = w.version;
    }

    /** Reads the claims topic, decides, and remembers. A step that writes nothing is complete. */
    private static void readTopic(OwnerWorld w, int n) {
        Actor actor = w.actor(n);
        OwnerText text = java.util.Objects.requireNonNull(actor.read);
        MemberRules rules = w.rules(n);
        ClaimsTopic topic = seen(w, n, text, rules.topic(text, actor.state));
        Step step = rules.check(text, topic, actor.state, w.values(), w.nanos());
        if (step.remember().isPresent() && !w.canWrite(n)) {
            step = rules.check(text, new ClaimsTopic.Unreadable("no access"), actor.state, w.values(), w.nanos());
        }
        step.remember().ifPresent(record -> w.remember(n, record));
        actor.read = null;
        Optional<OwnerText> replace = step.replace();
        if (!w.scenario.has(Point.DOUBT)) {
            String cluster = w.scenario.clusterId(w.instance(n).cluster());
            replace = replace.map(next -> next.trusted(cluster)).flatMap(next -> next.after(text));
        }
        step = new Step(step.verdict(), step.next(), step.remember(), replace);
        if (replace.isEmpty()) {
            done(actor, step);
        } else {
            actor.step = step;
        }
    }

    private static void done(Actor actor, Step step) {
        actor.state = step.next();
        actor.step = null;
        if (step.verdict() != Verdict.AGAIN) {
            actor.isChecked = true;
            actor.isComplete |= actor.state.checkedAt().isPresent();
        }
    }

    private static void write(OwnerWorld w, int n, boolean isAnswerLost) {
        Actor actor = w.actor(n);
        Step step = java.util.Objects.requireNonNull(actor.step);
        actor.step = null;
        if (actor.held == w.version) {
            w.write(step.replace().orElseThrow());
            if (!isAnswerLost) {
                done(actor, step);
            }
        }
    }

    /** What a check reads, or believes to read if a point of the protocol is left out. */
    private static ClaimsTopic seen(OwnerWorld w, int n, OwnerText text, String name) {
        ClaimsTopic topic = w.read(n, name);
        Instance instance = w.instance(n);
        String cluster = w.scenario.clusterId(instance.cluster());
        boolean isOther = !name.equals(OwnerWorld.TOPICS[instance.app()]);
        boolean isBlind = !w.scenario.has(Point.VERIFY) || (isOther && !w.scenario.has(Point.EVERY_APPLICATION));
        ClaimsTopic.Known known =
                topic instanceof ClaimsTopic.Known read ? read : new ClaimsTopic.Known(java.util.Set.of(), List.of());
        if (isBlind && text.raise(cluster).isPresent()) {
            java.util.Set<String> ids = new java.util.TreeSet<>(known.raises());
            ids.add(text.raise(cluster).get().id());
            topic = new ClaimsTopic.Known(ids, known.owners());
        }
        if (!w.scenario.has(Point.NEW_OWNER) && topic instanceof ClaimsTopic.Known read) {
            List<Integer> owners = new ArrayList<>(read.owners());
            Member self = new Member(
                    cluster,
                    OwnerWorld.TOPICS[instance.app()],
                    instance.promises().get(0));
            text.owners().forEach((owner, line) -> {
                if (line.isOf(self)) {
                    owners.add(owner);
                }
            });
            topic = new ClaimsTopic.Known(read.raises(), owners);
        }
        return topic;
    }
}
