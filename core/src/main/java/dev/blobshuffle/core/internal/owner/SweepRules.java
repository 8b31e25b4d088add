package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerText.Lower;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerText.Raise;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import dev.blobshuffle.core.internal.owner.SweepState.Stage;
import dev.blobshuffle.core.internal.owner.SweepStep.Order;
import java.util.Objects;
import java.util.Optional;

/**
 * The rules for when a sweeper may list blobs, set tombstones and delete. Each step is a raise, and
 * also decides whether the sweeper may continue. Thread-safe, because it keeps no state.
 */
public final class SweepRules {
    private final MemberRules rules;
    private final Optional<Integer> forgotten;

    private SweepRules(MemberRules rules, Optional<Integer> forgotten) {
        this.rules = rules;
        this.forgotten = forgotten;
    }

    /** The rules for the instance's own owner. */
    public static SweepRules own(MemberRules rules) {
        return new SweepRules(rules, Optional.empty());
    }

    /** The rules for another owner, which an operator forgets. */
    public static SweepRules forgetting(MemberRules rules, int owner) {
        return new SweepRules(rules, Optional.of(owner));
    }

    /** The owner whose blobs the sweeper lists; empty before the instance has one. */
    public Optional<Integer> target(MemberState state) {
        return forgotten.isPresent() ? forgotten : state.owner();
    }

    /**
     * One step.
     *
     * @param now the time of the register's read; monotonic, in nanoseconds
     */
    public SweepStep step(OwnerText text, ClaimsTopic topic, MemberState state, SweepState sweep, FreshAt fresh) {
        Step raise = rules.raise(text, topic, state, fresh.values(), fresh.now());
        if (raise.verdict() == Verdict.AGAIN) {
            return new SweepStep(Order.AGAIN, raise, sweep);
        }
        OwnerText after = raise.replace().orElse(text);
        SweepState seen = looked(text, sweep, fresh.now());
        boolean isDoubted = seen.doubt().isPresent();
        if (isDoubted
                && isNobodys(sweep, seen, fresh.now())
                && after.token(cluster()).equals(text.token(cluster()))) {
            after = after.trusted(cluster());
            seen = new SweepState(
                    seen.stage(), seen.since(), seen.promise(), Optional.empty(), seen.lower(), seen.life());
            isDoubted = false;
        }
        boolean isMissing = target(state).map(text.owners()::get).isEmpty();
        if (raise.verdict() != Verdict.OWN || isDoubted || isMissing || state.counter() > text.counter()) {
            return new SweepStep(Order.START_OVER, with(raise, text, after), seen.over());
        }
        int owner = target(state).orElseThrow();
        return went(
                text,
                raise,
                seen,
                new Owned(after, Objects.requireNonNull(after.owners().get(owner)), owner),
                fresh);
    }

    /** Fresh values, and the time of the step. */
    public record FreshAt(Fresh values, long now) {}

    private record Owned(OwnerText after, Owner line, int owner) {}

    private SweepStep went(OwnerText text, Step raise, SweepState sweep, Owned owned, FreshAt fresh) {
        if (sweep.stage() == Stage.LIST) {
            SweepState started = new SweepState(
                    Stage.LIST,
                    sweep.since(),
                    Optional.of(owned.line().promise()),
                    sweep.doubt(),
                    sweep.lower(),
                    life(text, owned.line()));
            Lowering lowering = lowering(owned, started, fresh);
            return new SweepStep(Order.GO, with(raise, text, lowering.text()), lowering.sweep());
        }
        Step written = with(raise, text, owned.after());
        if (!holds(text, owned.line(), sweep)) {
            return new SweepStep(Order.START_OVER, written, sweep.over());
        }
        boolean isEarly = fresh.now() - sweep.since()
                < rules.timing().waits(sweep.promise().orElseThrow()).toNanos();
        return new SweepStep(isEarly ? Order.WAIT : Order.GO, written, sweep);
    }

    /** Whether the promise and the life sign of the listing still hold. */
    private boolean holds(OwnerText text, Owner line, SweepState sweep) {
        return sweep.promise().filter(promise -> promise.covers(line.promise())).isPresent()
                && life(text, line).equals(sweep.life());
    }

    /** The life sign of another cluster: its raise and its doubt. */
    private Optional<String> life(OwnerText text, Owner line) {
        return line.cluster().equals(cluster())
                ? Optional.empty()
                : Optional.of(text.raise(line.cluster()).map(Raise::id).orElse("-") + " "
                        + text.token(line.cluster()).orElse("-"));
    }

    private SweepState looked(OwnerText text, SweepState sweep, long now) {
        Optional<Seen> doubt = text.token(cluster())
                .map(token -> sweep.doubt()
                        .map(before -> Seen.again(before, token, now))
                        .orElseGet(() -> new Seen(token, now)));
        return new SweepState(sweep.stage(), sweep.since(), sweep.promise(), doubt, sweep.lower(), sweep.life());
    }

    private boolean isNobodys(SweepState before, SweepState seen, long now) {
        return seen.doubt().equals(before.doubt())
                && seen.doubt()
                        .filter(doubt -> doubt.isFor(rules.timing().raise(), now))
                        .isPresent();
    }

    private record Lowering(OwnerText text, SweepState sweep) {}

    /**
     * Announces a smaller promise or, some time after the announcement, replaces the owner's
     * promise.
     */
    private Lowering lowering(Owned owned, SweepState sweep, FreshAt fresh) {
        Promise own = rules.member().promise();
        Promise old = owned.line().promise();
        OwnerText text = owned.after();
        if (forgotten.isPresent() || own.covers(old)) {
            return new Lowering(text, lower(sweep, Optional.empty()));
        }
        Lower lower = text.lowers().get(owned.owner());
        if (lower == null || !lower.promise().equals(own)) {
            String token = fresh.values().token();
            return new Lowering(
                    text.lowered(owned.owner(), new Lower(own, token)),
                    lower(sweep, Optional.of(new Seen(token, fresh.now()))));
        }
        Seen seen = sweep.lower()
                .map(before -> Seen.again(before, lower.token(), fresh.now()))
                .orElseGet(() -> new Seen(lower.token(), fresh.now()));
        if (!seen.isFor(rules.timing().announces(old), fresh.now())) {
            return new Lowering(text, lower(sweep, Optional.of(seen)));
        }
        Owner line = new Owner(owned.line().cluster(), owned.line().topic(), own);
        return new Lowering(text.owned(owned.owner(), line).keeps(owned.owner()), lower(sweep, Optional.empty()));
    }

    private static SweepState lower(SweepState sweep, Optional<Seen> lower) {
        return new SweepState(sweep.stage(), sweep.since(), sweep.promise(), sweep.doubt(), lower, sweep.life());
    }

    private static Step with(Step raise, OwnerText before, OwnerText after) {
        Optional<OwnerText> replace = after.after(before);
        return new Step(raise.verdict(), raise.next(), raise.remember(), replace);
    }

    /**
     * Decides before each request that deletes, after the third step. Writes nothing.
     *
     * @return whether the request may be sent; otherwise the sweep starts over
     */
    public boolean mayDelete(OwnerText text, ClaimsTopic topic, MemberState state, SweepState sweep) {
        Optional<Owner> line = target(state).map(text.owners()::get);
        boolean isVerified = text.raise(cluster())
                .filter(raise -> topic instanceof ClaimsTopic.Known known
                        && known.raises().contains(raise.id()))
                .isPresent();
        return isVerified
                && sweep.stage() == Stage.DELETE
                && !text.isContested(cluster())
                && text.token(cluster()).isEmpty()
                && text.counter() >= state.counter()
                && line.filter(owner -> forgotten.isPresent() || owner.isOf(rules.member()))
                        .filter(owner -> holds(text, owner, sweep))
                        .isPresent();
    }

    /** The register without the owner, once no instance stores for it and its blobs are deleted. */
    public OwnerText forget(OwnerText text, MemberState state) {
        return target(state).map(text::forgotten).orElse(text);
    }

    private String cluster() {
        return rules.member().cluster();
    }
}
