package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.internal.owner.OwnerText.Lower;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerText.Raise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import java.util.Optional;

/**
 * The rules that each instance follows: it proves its owner, verifies and raises its cluster's
 * line, contests, doubts, and keeps its promise. For each step, the caller reads the register and
 * then the claims topic that {@link #topic} names. Then the rules decide. Thread-safe, because it
 * keeps no state.
 */
public final class MemberRules {
    private final Member member;
    private final OwnerTiming timing;

    /** The rules for one instance. */
    public MemberRules(Member member, OwnerTiming timing) {
        this.member = member;
        this.timing = timing;
    }

    /** The instance. */
    public Member member() {
        return member;
    }

    OwnerTiming timing() {
        return timing;
    }

    /** The claims topic that a step reads, after it has read the register. */
    public String topic(OwnerText text, MemberState state) {
        return isProven(text, state)
                ? text.raise(member.cluster()).map(Raise::topic).orElse(member.topic())
                : member.topic();
    }

    private boolean isProven(OwnerText text, MemberState state) {
        return state.owner()
                .filter(owner -> {
                    Owner line = text.owners().get(owner);
                    return line == null || line.isOf(member);
                })
                .isPresent();
    }

    /**
     * One check, which raises if a raise is due.
     *
     * @param now the time of the register's read; monotonic, in nanoseconds
     */
    public Step check(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh, long now) {
        boolean isDue = !state.hasRaised()
                || text.raise(member.cluster()).isEmpty()
                || text.raise(member.cluster())
                        .filter(raise -> state.line()
                                .filter(line ->
                                        Seen.again(line, raise.id(), now).isFor(timing.raise(), now))
                                .isPresent())
                        .isPresent();
        return step(text, topic, state, fresh, new When(now, isDue));
    }

    /** A check that raises, as a sweep needs it. */
    public Step raise(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh, long now) {
        return step(text, topic, state, fresh, new When(now, true));
    }

    private record When(long now, boolean isRaiseDue) {}

    private Step step(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh, When when) {
        return isProven(text, state)
                ? verify(text, topic, state, fresh, when)
                : prove(text, topic, state.owning(Optional.empty()), fresh);
    }

    /** Finds the instance's owner in its own claims topic and in the register, or creates one. */
    private Step prove(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh) {
        if (topic instanceof ClaimsTopic.Known known) {
            Optional<Integer> owner = text.proven(member.cluster(), member.topic(), known);
            return owner.isPresent()
                    ? new Step(Verdict.AGAIN, state.owning(owner), Optional.empty(), Optional.empty())
                    : make(text, state, fresh);
        }
        OwnerText next = doubted(text, state, fresh, ((ClaimsTopic.Unreadable) topic).reason());
        return new Step(
                Verdict.IN_DOUBT,
                new MemberState(
                        state.owner(),
                        state.hasRaised(),
                        state.line(),
                        next.token(member.cluster()),
                        Optional.empty(),
                        Math.max(state.counter(), text.counter())),
                Optional.empty(),
                next.after(text));
    }

    private Step make(OwnerText text, MemberState state, Fresh fresh) {
        int owner = fresh.owner();
        if (text.owners().containsKey(owner)) { // The number is taken; the next step has another one.
            return new Step(Verdict.AGAIN, state, Optional.empty(), Optional.empty());
        }
        OwnerText next = text.owned(owner, new Owner(member.cluster(), member.topic(), member.promise()));
        next.requireRoom();
        return new Step(
                Verdict.AGAIN,
                state.owning(Optional.of(owner)),
                Optional.of(new Remember.Owner(owner)),
                next.after(text));
    }

    private Step verify(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh, When when) {
        String cluster = member.cluster();
        OwnerText next = promised(text, state.owner().orElseThrow());
        Optional<String> stranger = stranger(text, topic);
        if (stranger.isPresent() && !text.isContested(cluster)) {
            next = next.contested(cluster, stranger.get());
        }
        Verdict verdict = next.isContested(cluster)
                ? Verdict.CONTESTED
                : topic instanceof ClaimsTopic.Unreadable ? Verdict.IN_DOUBT : Verdict.OWN;
        Optional<Remember> remember = Optional.empty();
        if (verdict == Verdict.OWN && when.isRaiseDue()) {
            remember = Optional.of(new Remember.Raise(fresh.id(), text.counter() + 1));
            next = next.raised(cluster, new Raise(member.topic(), fresh.id()));
        }
        if (verdict != Verdict.OWN) {
            String reason = topic instanceof ClaimsTopic.Unreadable unreadable ? unreadable.reason() : "contested";
            next = doubted(next, state, fresh, reason);
        } else if (text.counter() < state.counter()) {
            next = next.doubted(cluster, fresh.token(), "the register went back from counter " + state.counter());
        }
        return new Step(verdict, checked(text, next, state, when), remember, next.after(text));
    }

    private MemberState checked(OwnerText text, OwnerText next, MemberState state, When when) {
        Optional<Seen> line = next.raise(member.cluster())
                .map(raise -> state.line()
                        .map(before -> Seen.again(before, raise.id(), when.now()))
                        .orElseGet(() -> new Seen(raise.id(), when.now())));
        boolean hasRaised = state.hasRaised() || !next.raises().equals(text.raises());
        return new MemberState(
                state.owner(),
                hasRaised,
                line,
                next.token(member.cluster()),
                Optional.of(when.now()),
                next.after(text).map(OwnerText::counter).orElse(text.counter()));
    }

    /**
     * The evidence that an instance of another Kafka cluster has raised the line; empty if there is
     * none.
     */
    private Optional<String> stranger(OwnerText text, ClaimsTopic topic) {
        return text.raise(member.cluster())
                .filter(raise -> topic instanceof ClaimsTopic.Known known
                        && !known.raises().contains(raise.id()))
                .map(raise -> "Topic " + raise.topic() + " does not hold raise " + raise.id()
                        + ": a copy of the cluster uses the store (seen by " + member.topic() + ")");
    }

    /**
     * The text with a new token of the doubt, unless the token has changed since the last check. An
     * instance that has not checked yet always changes it.
     */
    private OwnerText doubted(OwnerText text, MemberState state, Fresh fresh, String reason) {
        Optional<String> token = text.token(member.cluster());
        boolean isChanged = token.isPresent() && state.counter() >= 0 && !token.equals(state.token());
        return isChanged ? text : text.doubted(member.cluster(), fresh.token(), reason);
    }

    /**
     * The text whose owner's line covers the instance's promise, both now and after an announced
     * change.
     */
    private OwnerText promised(OwnerText text, int owner) {
        Owner line = text.owners().get(owner);
        Promise promise = line == null ? member.promise() : line.promise().and(member.promise());
        OwnerText next = text.owned(owner, new Owner(member.cluster(), member.topic(), promise));
        Lower lower = next.lowers().get(owner);
        return lower == null || lower.promise().covers(member.promise()) ? next : next.keeps(owner);
    }

    /**
     * Ends the contest on the order of an operator, and raises the line for the own cluster. A
     * doubt with a new token remains. A sweep that has not seen the contest therefore begins again,
     * and any other live user contests before the doubt ends.
     */
    public Step settle(OwnerText text, MemberState state, Fresh fresh) {
        OwnerText next = text.raised(member.cluster(), new Raise(member.topic(), fresh.id()))
                .settled(member.cluster())
                .doubted(member.cluster(), fresh.token(), "settled by an operator");
        return new Step(
                Verdict.OWN, state, Optional.of(new Remember.Raise(fresh.id(), text.counter() + 1)), next.after(text));
    }
}
