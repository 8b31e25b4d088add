package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One user's side of the claim protocol, which {@code docs/decisions/0016-claims.md} explains.
 * It raises lines, looks for strangers, and contests the register if there is one. Owned by one
 * thread.
 */
public final class Claimant {
    /** Others may be faster each time, but each time somebody makes progress. */
    private static final int ATTEMPTS = 20;

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

    /** Some stores take one write of an object each second. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** Ids of this many raises stay in a claims topic, beside those in the register. */
    public static final long KEPT = 64;

    private final ClaimCell cell;
    private final String cluster;
    private final Function<String, ClaimMemory> memories;
    private final Supplier<String> ids;
    private final Pauses pauses;
    private final long kept;
    /** The text that was last found to be free of strangers, and the topics for which it was. */
    private String verified = "";

    private Set<String> verifiedTopics = Set.of();

    /**
     * A claimant, which has not claimed anything.
     *
     * @param cluster this cluster's id
     * @param memories the memory in a claims topic
     * @param ids makes claimant ids, each a new one
     * @param pauses between attempts to write the register
     * @param kept ids of this many raises stay in a claims topic: {@link #KEPT}
     */
    public Claimant(
            ClaimCell cell,
            String cluster,
            Function<String, ClaimMemory> memories,
            Supplier<String> ids,
            Pauses pauses,
            long kept) {
        this.cell = cell;
        this.cluster = cluster;
        this.memories = memories;
        this.ids = ids;
        this.pauses = pauses;
        this.kept = kept;
    }

    /**
     * Waits before something that others want too is tried again: a register to write, whose store
     * limits how often, or a broker.
     */
    public interface Pauses {
        /**
         * Waits.
         *
         * @param attempt how often it was tried, from 1
         */
        void pause(int attempt) throws InterruptedException;

        /**
         * Longer with each attempt, and at random: of many that start together, each finds a moment
         * of its own.
         */
        static Pauses growing(Time time) {
            return attempt -> {
                long most = Math.min(LONGEST_PAUSE.toNanos(), SHORTEST_PAUSE.toNanos() << Math.min(attempt, 16));
                long pause = SHORTEST_PAUSE.toNanos() + Long.remainderUnsigned(time.randomLong(), most);
                Signal never = time.signal();
                boolean ignored = never.await(never.count(), time.nanos() + pause);
            };
        }
    }

    /** A new claimant id. */
    public static String newId(Time time) {
        return String.format(Locale.ROOT, "%016x%016x", time.randomLong(), time.randomLong());
    }

    /** Present if nothing may be deleted: the reason, as the register says it. */
    public record Verdict(Optional<String> contest) {
        static final Verdict OWN = new Verdict(Optional.empty());

        /** Whether blobs may be deleted. */
        public boolean isOwn() {
            return contest.isEmpty();
        }
    }

    /** The claims topics of this cluster's lines. */
    public Set<String> topics() throws InterruptedException {
        Set<String> topics = new HashSet<>();
        for (ClaimText.Line line : now(cell.read()).lines()) {
            if (line.cluster().equals(cluster)) {
                topics.add(line.topic());
            }
        }
        return topics;
    }

    /**
     * Gives the lines of applications a new id, or finds that somebody else of the cluster just
     * did.
     */
    public Verdict raise(Set<String> topics) throws InterruptedException {
        Map<String, String> before = new HashMap<>();
        Attempts attempts = new Attempts("claim a store");
        while (true) {
            attempts.begin();
            Optional<Register> held = cell.read();
            ClaimText now = now(held);
            if (attempts.isFirst()) { // Also if it leads no further: the next one compares with it.
                topics.forEach(topic -> before.put(
                        topic, now.line(cluster, topic).map(ClaimText.Line::id).orElse("")));
            }
            Optional<Verdict> verdict = contestIfStrange(attempts, held, now, topics);
            if (verdict.isPresent()) {
                if (!verdict.get().isOwn()) {
                    return verdict.get();
                }
                continue; // The register changed before the contest was written.
            }
            if (!attempts.isFirst() && isRaisedSince(before, now, topics)) {
                return Verdict.OWN;
            }
            // A new one for each attempt: a sibling may be about to forget the last one.
            String id = ids.get();
            for (String topic : topics) {
                if (!topic.equals(ClaimText.NO_TOPIC)) {
                    memories.apply(topic).remember(id, now.counter() + 1);
                }
            }
            ClaimText raised = now.raised(cluster, topics, id);
            if (attempts.replace(held, raised.text())) {
                forgetOld(topics, raised);
                return Verdict.OWN;
            }
        }
    }

    /**
     * Cleans the claims topics up. An id is written with the counter that follows the register's,
     * so one with a lower counter than the register's is in the register or never will be.
     */
    private void forgetOld(Set<String> topics, ClaimText raised) throws InterruptedException {
        Set<String> ids = new HashSet<>();
        raised.lines().forEach(line -> ids.add(line.id()));
        for (String topic : topics) {
            if (!topic.equals(ClaimText.NO_TOPIC)) {
                memories.apply(topic).forget(raised.counter() - kept, ids);
            }
        }
    }

    private boolean isRaisedSince(Map<String, String> before, ClaimText now, Set<String> topics) {
        return topics.stream()
                .allMatch(topic -> now.line(cluster, topic)
                        .filter(line -> !line.id().equals(before.get(topic)))
                        .isPresent());
    }

    /** Looks for strangers, and contests the register if there is one. */
    public Verdict check(Set<String> topics) throws InterruptedException {
        Attempts attempts = new Attempts("check a store's claims");
        while (true) {
            attempts.begin();
            Optional<Register> held = cell.read();
            ClaimText now = now(held);
            if (held.isPresent() && isMissing(now, topics) && now.contest().isEmpty()) {
                return raise(topics);
            }
            Optional<Verdict> verdict = contestIfStrange(attempts, held, now, topics);
            if (verdict.isEmpty()) {
                return held.isEmpty() ? raise(topics) : Verdict.OWN;
            }
            if (!verdict.get().isOwn()) {
                return verdict.get();
            }
        }
    }

    private boolean isMissing(ClaimText now, Set<String> topics) {
        return topics.stream().anyMatch(topic -> now.line(cluster, topic).isEmpty());
    }

    /** Why nothing may be deleted, as the register says it. */
    public Optional<String> contest() throws InterruptedException {
        return now(cell.read()).contest();
    }

    /** Looks for strangers and changes nothing. */
    public Verdict look(Set<String> topics) throws InterruptedException {
        ClaimText now = now(cell.read());
        return new Verdict(now.contest().isPresent() ? now.contest() : stranger(now, topics));
    }

    /**
     * Empty if there is no stranger; a verdict without a contest if the register changed meanwhile.
     */
    private Optional<Verdict> contestIfStrange(
            Attempts attempts, Optional<Register> held, ClaimText now, Set<String> topics) throws InterruptedException {
        if (now.contest().isPresent()) {
            return Optional.of(new Verdict(now.contest()));
        }
        Optional<String> stranger = stranger(now, topics);
        if (stranger.isEmpty()) {
            return Optional.empty();
        }
        String reason = stranger.get() + " (seen by " + user(cluster) + ", " + ids.get() + ")";
        boolean isWritten = attempts.replace(held, now.contested(reason).text());
        return Optional.of(isWritten ? new Verdict(Optional.of(reason)) : Verdict.OWN);
    }

    /**
     * The register was read before: what the memories do not know now, this cluster did not write.
     */
    private Optional<String> stranger(ClaimText now, Set<String> topics) throws InterruptedException {
        String text = now.text();
        if (text.equals(verified) && topics.equals(verifiedTopics)) {
            return Optional.empty();
        }
        for (ClaimText.Line line : now.lines()) {
            if (!line.cluster().equals(cluster)) {
                return Optional.of(user(line.cluster()) + " uses the store too, by topic " + line.topic());
            }
            boolean isChecked = topics.contains(line.topic()) && !line.topic().equals(ClaimText.NO_TOPIC);
            if (isChecked && !memories.apply(line.topic()).known().contains(line.id())) {
                return Optional.of("a copy of " + user(cluster) + " claimed the store, by topic " + line.topic());
            }
        }
        verified = text;
        verifiedTopics = Set.copyOf(topics);
        return Optional.empty();
    }

    private static String user(String id) {
        return (id.startsWith(ClaimText.LOG) ? "" : "cluster ") + id;
    }

    /** Keeps everybody from deleting. */
    public void hold(String reason) throws InterruptedException {
        change("hold a store", now -> now.contest().isPresent() ? now : now.contested(reason + " (" + ids.get() + ")"));
    }

    /** Takes this cluster's lines out, unless the register is contested. */
    public void withdraw() throws InterruptedException {
        change("withdraw from a store", now -> now.contest().isPresent() ? now : now.without(cluster));
    }

    /** Makes the register this cluster's, with new ids. Whoever else lives contests it again. */
    public void takeOver(Set<String> topics) throws InterruptedException {
        String id = ids.get();
        for (String topic : topics) {
            memories.apply(topic).remember(id, now(cell.read()).counter() + 1);
        }
        change(
                "take a store over",
                now -> new ClaimText(now.counter(), List.of(), Optional.empty()).raised(cluster, topics, id));
    }

    /** @param what completes "Cannot …" */
    private void change(String what, Function<ClaimText, ClaimText> change) throws InterruptedException {
        Attempts attempts = new Attempts(what);
        boolean isDone = false;
        while (!isDone) {
            attempts.begin();
            Optional<Register> held = cell.read();
            ClaimText now = now(held);
            ClaimText next = change.apply(now);
            isDone = next.equals(now) || attempts.replace(held, next.text());
        }
    }

    /** The attempts of one operation: with growing pauses between them, and not without end. */
    private final class Attempts {
        private final String what;
        private final List<StoreUnavailable> failures = new ArrayList<>();
        private int begun;

        /** @param what completes "Cannot …" */
        Attempts(String what) {
            this.what = what;
        }

        /**
         * Begins the next attempt, after a pause unless it is the first.
         *
         * @throws StoreUnavailable that was the last one; the cause is the store's last failure
         */
        void begin() throws InterruptedException {
            if (begun == ATTEMPTS) {
                throw exhausted();
            }
            if (begun > 0) {
                pauses.pause(begun);
            }
            begun++;
        }

        boolean isFirst() {
            return begun == 1;
        }

        /** Replaces what was read; false if the register must be read again. */
        boolean replace(Optional<Register> held, String text) throws InterruptedException {
            try {
                return cell.replace(held, text);
            } catch (StoreRefused e) {
                throw e;
            } catch (StoreUnavailable e) {
                failures.add(e); // The text may be written: the next read shows it.
                return false;
            }
        }

        private StoreUnavailable exhausted() {
            if (failures.isEmpty()) {
                return new StoreUnavailable("Cannot " + what + ": others changed the register in each of " + ATTEMPTS
                        + " attempts. Try again.");
            }
            StoreUnavailable last = failures.get(failures.size() - 1);
            return new StoreUnavailable(
                    "Cannot " + what + ": " + failures.size() + " of " + ATTEMPTS
                            + " attempts to write the register failed, the last one as follows. " + last.getMessage(),
                    last);
        }
    }

    private static ClaimText now(Optional<Register> held) {
        return held.map(register -> ClaimText.parse(register.text())).orElse(ClaimText.NONE);
    }
}
