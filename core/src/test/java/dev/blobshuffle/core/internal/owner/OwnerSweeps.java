package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerMoves.Kind;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Limited;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Point;
import dev.blobshuffle.core.internal.owner.OwnerText.Lower;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Actor;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Blob;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Cluster;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Sweeping;
import dev.blobshuffle.core.internal.owner.OwnerWorld.Topics;
import dev.blobshuffle.core.internal.owner.SweepState.Stage;
import dev.blobshuffle.core.internal.owner.SweepStep.Order;
import java.util.Objects;
import java.util.Optional;

/** The moves of sweepers, and the checks for what must not happen. */
final class OwnerSweeps {
    private OwnerSweeps() {}

    static boolean isPossible(OwnerWorld w, Kind kind, int n) {
        Actor actor = w.actors[n];
        return switch (kind) {
            case SWEEP -> actor.at == Sweeping.STEP && isDue(w, n);
            case SWEEP_WRITE -> actor.at == Sweeping.WRITE;
            case SWEEP_LOSE_ANSWER -> actor.at == Sweeping.WRITE && w.has(Limited.LOST_ANSWER);
            case LIST -> actor.at == Sweeping.LIST;
            case SETTLED ->
                actor.at == Sweeping.SETTLED && w.clusters[w.instance(n).cluster()].isUp;
            case READ_LOGS ->
                actor.at == Sweeping.READ && w.clusters[w.instance(n).cluster()].isUp;
            case ASK -> actor.at == Sweeping.ASK;
            default -> actor.at == Sweeping.DELETE;
        };
    }

    private static boolean isDue(OwnerWorld w, int n) {
        Actor actor = w.actors[n];
        Optional<Integer> owner = w.sweepRules(n).target(actor.state);
        if (!actor.isComplete || owner.isEmpty()) {
            return false;
        }
        if (actor.sweep.stage() == Stage.LIST) {
            boolean mayLower = w.instance(n).forgets().isEmpty()
                    && w.text.owners().get(owner.get()) != null
                    && !promise(w, n).covers(w.text.owners().get(owner.get()).promise());
            return w.listable(owner.get(), Optional.empty()) != 0 || mayLower;
        }
        boolean isUnhurried = actor.sweep.stage() == Stage.DECIDE
                ? w.scenario.has(Point.SECOND_WAIT)
                : w.scenario.has(Point.THIRD_WAIT);
        Promise promise =
                w.scenario.has(Point.REGISTER_PROMISE) ? actor.sweep.promise().orElseThrow() : promise(w, n);
        return !isUnhurried
                || w.nanos() - actor.sweep.since()
                        >= OwnerScenario.TIMING.waits(promise).toNanos();
    }

    private static Promise promise(OwnerWorld w, int n) {
        return w.instance(n).promises().get(w.actors[n].promise);
    }

    static boolean make(OwnerWorld w, Kind kind, int n) {
        Actor actor = w.actor(n);
        switch (kind) {
            case SWEEP -> {
                step(w, n, actor);
                if (!w.scenario.isFine && actor.at == Sweeping.WRITE) {
                    write(w, n, actor, false);
                }
                if (!w.scenario.isSplit && actor.at == Sweeping.LIST) {
                    list(w, n, actor);
                }
                if (!w.scenario.isSplit
                        && actor.at == Sweeping.SETTLED
                        && w.clusters[w.instance(n).cluster()].isUp) {
                    settled(w, n, actor);
                    read(w, n, actor);
                }
            }
            case SWEEP_WRITE -> write(w, n, actor, false);
            case SWEEP_LOSE_ANSWER -> {
                w.use(Limited.LOST_ANSWER);
                write(w, n, actor, true);
            }
            case LIST -> list(w, n, actor);
            case SETTLED -> settled(w, n, actor);
            case READ_LOGS -> read(w, n, actor);
            case ASK -> ask(w, n, actor);
            default -> delete(w, n, actor);
        }
        return true;
    }

    private static void step(OwnerWorld w, int n, Actor actor) {
        if (actor.sweep.stage() == Stage.LIST && actor.sweeper.owner().isEmpty()) {
            actor.sweeper = actor.state;
        }
        SweepRules rules = w.sweepRules(n);
        int owner = rules.target(actor.state).orElseThrow();
        OwnerText text = believed(w, n, owner);
        SweepState sweep = believed(w, n, actor, text, owner);
        ClaimsTopic topic = w.read(n, w.rules(n).topic(text, actor.sweeper));
        SweepRules.FreshAt fresh = new SweepRules.FreshAt(w.values(), w.nanos());
        SweepStep step = rules.step(text, topic, actor.sweeper, sweep, fresh);
        if (step.member().remember().isPresent() && !w.canWrite(n)) {
            step = rules.step(text, new ClaimsTopic.Unreadable("no access"), actor.sweeper, sweep, fresh);
        }
        step.member().remember().ifPresent(record -> w.remember(n, record));
        actor.sweepStep = step;
        actor.sweepHeld = w.version;
        actor.at = Sweeping.WRITE;
    }

    /** The register, with the sweeper's own promise if the scenario uses that one. */
    private static OwnerText believed(OwnerWorld w, int n, int owner) {
        OwnerText text = w.text;
        Owner line = text.owners().get(owner);
        if (line == null) {
            return text;
        }
        if (!w.scenario.has(Point.REGISTER_PROMISE)) {
            text = text.owned(owner, new Owner(line.cluster(), line.topic(), promise(w, n)));
        }
        if (!w.scenario.has(Point.TWO_PHASES) && !promise(w, n).covers(line.promise())) {
            text = text.lowered(owner, new Lower(promise(w, n), "at-once"));
        }
        return text;
    }

    private static SweepState believed(OwnerWorld w, int n, Actor actor, OwnerText text, int owner) {
        SweepState sweep = actor.sweep;
        boolean isUnhurried = sweep.stage() == Stage.DECIDE
                ? w.scenario.has(Point.SECOND_WAIT)
                : sweep.stage() == Stage.LIST || w.scenario.has(Point.THIRD_WAIT);
        long since = isUnhurried
                ? sweep.since()
                : w.nanos() - OwnerScenario.ticks(100).toNanos();
        Optional<Seen> lower = sweep.lower();
        if (!w.scenario.has(Point.TWO_PHASES) && text.lowers().containsKey(owner)) {
            lower = Optional.of(
                    new Seen("at-once", w.nanos() - OwnerScenario.ticks(100).toNanos()));
        }
        Optional<Promise> held = sweep.promise();
        if (!w.scenario.has(Point.PROMISE_HELD)
                && sweep.stage() != Stage.LIST
                && text.owners().containsKey(owner)
                && !sweep.promise()
                        .orElseThrow()
                        .covers(text.owners().get(owner).promise())) {
            held = Optional.of(text.owners().get(owner).promise());
            since = w.nanos() - OwnerScenario.ticks(100).toNanos();
        }
        return new SweepState(sweep.stage(), since, held, sweep.doubt(), lower, sweep.life());
    }

    private static void write(OwnerWorld w, int n, Actor actor, boolean isAnswerLost) {
        SweepStep step = Objects.requireNonNull(actor.sweepStep);
        actor.sweepStep = null;
        actor.at = Sweeping.STEP;
        Optional<OwnerText> replace = step.member().replace();
        if (replace.isPresent() && actor.sweepHeld != w.version) {
            return;
        }
        replace.ifPresent(text -> w.write(restored(w, n, text)));
        if (replace.isPresent() && isAnswerLost) {
            return;
        }
        actor.sweeper = step.member().next();
        boolean isStillAt = step.order() == Order.WAIT || step.order() == Order.AGAIN;
        long since = actor.sweep.since();
        SweepState next = isStillAt ? actor.sweep : step.next();
        actor.sweep = new SweepState(next.stage(), since, next.promise(), next.doubt(), next.lower(), next.life());
        if (step.order() == Order.START_OVER) {
            forget(actor);
        } else if (step.order() == Order.GO) {
            actor.at = switch (actor.sweep.stage()) {
                case LIST -> Sweeping.LIST;
                case DECIDE -> Sweeping.SETTLED;
                case DELETE -> w.scenario.has(Point.QUESTION) ? Sweeping.ASK : Sweeping.DELETE;
            };
            actor.present = w.present();
            actor.members = w.members();
        }
    }

    /** Undoes the write of a promise that the scenario leaves out. */
    private static OwnerText restored(OwnerWorld w, int n, OwnerText text) {
        int owner = w.sweepRules(n).target(w.actors[n].state).orElseThrow();
        Owner line = w.text.owners().get(owner);
        return w.scenario.has(Point.REGISTER_PROMISE) || line == null ? text : text.owned(owner, line);
    }

    private static void forget(Actor actor) {
        actor.listed = 0;
        actor.settled = 0;
        actor.tombs = 0;
        actor.ids = 0;
        actor.starts = 0;
        actor.present = 0;
        actor.members = 0;
    }

    private static void over(Actor actor) {
        forget(actor);
        actor.sweep = actor.sweep.over();
        actor.at = Sweeping.STEP;
    }

    private static void list(OwnerWorld w, int n, Actor actor) {
        actor.listed = w.listable(w.sweepRules(n).target(actor.state).orElseThrow(), actor.sweep.promise());
        Cluster cluster = w.clusters[w.instance(n).cluster()];
        actor.ids = cluster.topics[0].id() | cluster.topics[1].id() << 4;
        if (actor.listed == 0) {
            over(actor);
        } else {
            actor.sweep = actor.sweep.listed(w.nanos());
            actor.at = Sweeping.STEP;
        }
    }

    private static void settled(OwnerWorld w, int n, Actor actor) {
        actor.settled = 0;
        for (int app = 0; app < 2; app++) {
            boolean isSettled = w.clusters[w.instance(n).cluster()].topics[app].pending() == 0;
            actor.settled |= isSettled || !w.scenario.has(Point.SETTLED_LOGS) ? 1 << app : 0;
        }
        actor.at = Sweeping.READ;
    }

    private static void read(OwnerWorld w, int n, Actor actor) {
        Cluster cluster = w.clusters[w.instance(n).cluster()];
        int ids = cluster.topics[0].id() | cluster.topics[1].id() << 4;
        boolean isByAge = actor.sweep.promise().orElseThrow().retention().isPresent();
        int tombs = actor.listed;
        for (int blob = 0; !isByAge && blob < w.blobs.length; blob++) {
            Topics log = cluster.topics[w.blobs[blob].app()];
            int shift = 4 * w.blobs[blob].app();
            boolean isSame = (ids >> shift & 15) == (actor.ids >> shift & 15) || !w.scenario.has(Point.TOPIC_ID);
            boolean isSettled = (actor.settled & 1 << w.blobs[blob].app()) != 0;
            boolean isNamed = (log.visible() & 1 << blob) != 0;
            tombs &= isNamed || !isSettled || !isSame ? ~(1 << blob) : ~0;
        }
        actor.tombs = tombs;
        actor.starts = cluster.topics[0].start() | cluster.topics[1].start() << 4;
        actor.settled = 0;
        if (tombs == 0) {
            over(actor);
        } else {
            actor.sweep = actor.sweep.decided(w.nanos());
            actor.at = Sweeping.STEP;
        }
    }

    private static void ask(OwnerWorld w, int n, Actor actor) {
        OwnerText text = believed(w, n, w.sweepRules(n).target(actor.state).orElseThrow());
        ClaimsTopic topic = w.read(n, w.rules(n).topic(text, actor.sweeper));
        Cluster cluster = w.clusters[w.instance(n).cluster()];
        boolean hasStarts = !w.scenario.has(Point.LOG_STARTS)
                || (cluster.isUp
                        && cluster.topics[0].start() >= (actor.starts & 15)
                        && cluster.topics[1].start() >= (actor.starts >> 4));
        SweepState sweep = actor.sweep;
        MemberState state = actor.sweeper;
        if (!w.scenario.has(Point.COUNTER)) {
            state = new MemberState(state.owner(), true, state.line(), state.token(), state.checkedAt(), -1);
        }
        if (!w.scenario.has(Point.PROMISE_HELD)) {
            sweep = new SweepState(
                    sweep.stage(),
                    sweep.since(),
                    Optional.of(new Promise(OwnerScenario.ticks(99), Optional.empty())),
                    sweep.doubt(),
                    sweep.lower(),
                    sweep.life());
        }
        if (hasStarts && w.sweepRules(n).mayDelete(text, topic, state, sweep)) {
            actor.present = w.present();
            actor.members = w.members();
            actor.at = Sweeping.DELETE;
        } else {
            over(actor);
        }
    }

    private static void delete(OwnerWorld w, int n, Actor actor) {
        int blob = Integer.numberOfTrailingZeros(actor.tombs);
        if (!w.scenario.has(Point.QUESTION)) {
            actor.present = w.present();
        }
        if (w.isStored(blob)) {
            require(w, n, actor, blob);
            w.stored &= ~(1 << blob);
        }
        actor.tombs &= ~(1 << blob);
        actor.at = w.scenario.has(Point.QUESTION) ? Sweeping.ASK : Sweeping.DELETE;
        if (actor.tombs == 0) {
            over(actor);
        }
    }

    /**
     * A blob must stay while a log of the sweeper's cluster, or of a cluster that is not a copy,
     * names it or may still name it. A copy deletes nothing while an instance of the original runs
     * that ended a check before the sweeper's last check of its right, and vice versa.
     */
    private static void require(OwnerWorld w, int n, Actor actor, int blob) {
        int own = w.instance(n).cluster();
        long wait =
                OwnerScenario.TIMING.waits(actor.sweep.promise().orElseThrow()).toNanos();
        if (w.scenario.isCopyPair() && w.nanos() - actor.sweep.since() < wait) {
            w.violation = "blob " + blob + " is deleted before an original that starts can contest";
        }
        boolean isByAge = actor.sweep.promise().orElseThrow().retention().isPresent();
        for (int k = 0; k < 2; k++) {
            boolean isFree = k != own && w.scenario.isCopyPair();
            boolean isPresent = (w.present() & actor.present & 1 << k) != 0;
            if (isFree ? isPresent : !isByAge && w.isNamed(blob, k)) {
                w.violation = "blob " + blob + " is deleted by cluster " + own + ", and cluster " + k
                        + (isFree ? " lives" : " names it");
            }
        }
        Blob gone = w.blobs[blob];
        for (int i = 0; isByAge && i < w.actors.length; i++) {
            Actor other = w.actors[i];
            boolean isMember = other.isUp
                    && other.reachesStore
                    && other.isComplete
                    && other.state
                            .owner()
                            .filter(owner -> owner == gone.owner())
                            .isPresent();
            Optional<java.time.Duration> retention =
                    w.instance(i).promises().get(other.promise).retention();
            boolean isKept =
                    retention.isEmpty() || OwnerScenario.ticks(gone.age()).compareTo(retention.get()) < 0;
            if (isMember && isKept && (actor.present & 1 << w.instance(i).cluster()) != 0 && isAsked(w, actor, i)) {
                w.violation = "blob " + blob + " is deleted by age, which instance " + i + " does not allow";
            }
        }
    }

    /** Whether an instance had ended a check when the sweeper checked its right. */
    private static boolean isAsked(OwnerWorld w, Actor actor, int i) {
        return w.actors[i].isComplete && (actor.members & 1 << i) != 0;
    }
}
