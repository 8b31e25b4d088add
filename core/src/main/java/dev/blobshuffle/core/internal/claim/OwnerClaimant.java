package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Fresh;
import dev.blobshuffle.core.internal.owner.MemberRules;
import dev.blobshuffle.core.internal.owner.MemberState;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Step;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import dev.blobshuffle.core.internal.owner.SweepRules;
import dev.blobshuffle.core.internal.owner.SweepState;
import dev.blobshuffle.core.internal.owner.SweepStep;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.Time;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Takes the steps of the owners' protocol for one instance ({@code docs/decisions/0045-owners.md}).
 * In each step it reads the register and a claims topic, lets the rules decide, and executes the
 * decision. Owned by one thread.
 */
public final class OwnerClaimant {
    /**
     * The number of register values whose raises stay in a claims topic, besides those in the
     * register. Another instance may have read the register, but not yet the topic.
     */
    private static final long KEPT = 1024;

    /** On average, one raise in this many cleans up the claims topic. */
    private static final int CLEANED_ONE_IN = 16;

    /**
     * The most steps of one check. A step that concerns the owner only is followed by another one;
     * four steps are usually enough.
     */
    private static final int MOST_STEPS = 16;

    private final MemberRules rules;
    private final OwnerTiming timing;
    private final OwnerMemory memory;
    private final Pauses pauses;
    private final Time time;
    private MemberState state = MemberState.NEW;
    private Optional<String> trouble = Optional.empty();

    /** A claimant that has not taken a step. */
    public OwnerClaimant(OwnerSource.Seat seat, OwnerTiming timing, Time time) {
        rules = new MemberRules(seat.member(), timing);
        this.timing = timing;
        memory = seat.memory();
        pauses = Pauses.growing(time);
        this.time = time;
    }

    /** The rules of the instance. */
    public MemberRules rules() {
        return rules;
    }

    /** The state of the instance. */
    public MemberState state() {
        return state;
    }

    /**
     * Why nothing of the cluster may be deleted, as of the last step; empty if deletes are allowed.
     */
    public Optional<String> trouble() {
        return trouble;
    }

    /** Whether the instance may store blobs now. */
    public boolean mayStore() {
        return state.mayStore(timing, time.nanos());
    }

    /** Checks the own cluster's line, and raises it if a raise is due. */
    public Verdict check(ClaimCell cell) throws InterruptedException {
        return completed(cell, rules::check);
    }

    /** Raises the own cluster's line, unless it is contested or in doubt. */
    public Verdict raise(ClaimCell cell) throws InterruptedException {
        return completed(cell, rules::raise);
    }

    /** Ends a contest of the own cluster, as an operator orders. */
    public void settle(ClaimCell cell) throws InterruptedException {
        Step ignored = take(cell, (text, topic, now) -> rules.settle(text, state, Fresh.of(time)), step -> step);
    }

    /**
     * Takes one step of a sweep.
     *
     * @param sweep the sweeper's state
     */
    public SweepStep step(ClaimCell cell, SweepRules sweeps, SweepState sweep) throws InterruptedException {
        return take(
                cell,
                (text, topic, now) ->
                        sweeps.step(text, topic, state, sweep, new SweepRules.FreshAt(Fresh.of(time), now)),
                SweepStep::member);
    }

    /**
     * Whether the sweeper may delete now. Called before each request that deletes; changes nothing.
     */
    public boolean mayDelete(ClaimCell cell, SweepRules sweeps, SweepState sweep) throws InterruptedException {
        OwnerText text = text(cell.read());
        return sweeps.mayDelete(text, memory.read(rules.topic(text, state)), state, sweep);
    }

    /** Changes the register without a decision of the rules. */
    public void change(ClaimCell cell, Function<OwnerText, OwnerText> change) throws InterruptedException {
        Attempt attempt = new Attempt(cell);
        boolean isDone = false;
        while (!isDone) {
            attempt.begin();
            Optional<OwnerText> next = change.apply(attempt.text).after(attempt.text);
            isDone = next.isEmpty() || attempt.replace(next.get());
        }
    }

    private interface Check {
        Step of(OwnerText text, ClaimsTopic topic, MemberState state, Fresh fresh, long now);
    }

    private Verdict completed(ClaimCell cell, Check check) throws InterruptedException {
        Step step;
        int taken = 0;
        do {
            if (++taken > MOST_STEPS) {
                throw new IllegalStateException("Cannot find an owner: the register and the claims topic "
                        + rules.topic(OwnerText.NONE, state) + " contradict each other. Report it.");
            }
            step = take(cell, (text, topic, now) -> check.of(text, topic, state, Fresh.of(time), now), one -> one);
        } while (step.verdict() == Verdict.AGAIN);
        return step.verdict();
    }

    private interface Decision<S> {
        S of(OwnerText text, ClaimsTopic topic, long now);
    }

    private <S> S take(ClaimCell cell, Decision<S> decision, Function<S, Step> member) throws InterruptedException {
        Attempt attempt = new Attempt(cell);
        while (true) {
            attempt.begin();
            OwnerText text = attempt.text;
            ClaimsTopic topic = memory.read(rules.topic(text, state));
            S decided = decision.of(text, topic, attempt.began);
            Optional<String> refusal = remember(member.apply(decided));
            if (refusal.isPresent()) { // Decide again as an instance that cannot use its topic.
                topic = new ClaimsTopic.Unreadable(refusal.get());
                decided = decision.of(text, topic, attempt.began);
            }
            Step step = member.apply(decided);
            if (step.replace().isEmpty() || attempt.replace(step.replace().get())) {
                ended(step, topic, step.replace().orElse(text));
                return decided;
            }
        }
    }

    private Optional<String> remember(Step step) throws InterruptedException {
        return step.remember().isEmpty()
                ? Optional.empty()
                : memory.remember(step.remember().get());
    }

    private void ended(Step step, ClaimsTopic topic, OwnerText now) throws InterruptedException {
        state = step.next();
        trouble = switch (step.verdict()) {
            case OWN, AGAIN -> now.doubt(rules.member().cluster()).map(doubt -> "an instance is in doubt: " + doubt);
            case CONTESTED -> now.contest(rules.member().cluster());
            case IN_DOUBT ->
                topic instanceof ClaimsTopic.Unreadable unreadable
                        ? Optional.of(unreadable.reason())
                        : Optional.of("its claims topic cannot be used");
        };
        boolean isRaised =
                step.remember().filter(what -> what instanceof Remember.Raise).isPresent();
        if (isRaised && Long.remainderUnsigned(time.randomLong(), CLEANED_ONE_IN) == 0) {
            Set<String> kept = new HashSet<>();
            now.raises().values().forEach(raise -> kept.add(raise.id()));
            memory.forget(now.counter() - KEPT, kept);
        }
    }

    private static OwnerText text(Optional<Register> held) {
        return held.map(register -> OwnerText.parse(register.text())).orElse(OwnerText.NONE);
    }

    /** Reads the register again and again until a change succeeds. */
    private final class Attempt {
        private final ClaimCell cell;
        private final RegisterAttempts attempts = new RegisterAttempts("claim a store", pauses);
        private Optional<Register> held = Optional.empty();
        private OwnerText text = OwnerText.NONE;
        private long began;

        Attempt(ClaimCell cell) {
            this.cell = cell;
        }

        void begin() throws InterruptedException {
            attempts.begin();
            began = time.nanos();
            held = cell.read();
            text = OwnerClaimant.text(held);
        }

        boolean replace(OwnerText next) throws InterruptedException {
            return attempts.replace(cell, held, next.text());
        }
    }
}
