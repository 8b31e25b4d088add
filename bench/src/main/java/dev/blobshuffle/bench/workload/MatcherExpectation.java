package dev.blobshuffle.bench.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Matches per rule, recomputed from the input. A rule that m records match has written ⌊m / rate⌋
 * events and keeps the rest in its state; the sums of first bytes in its events and its state are
 * those of its records. Under exactly-once this holds whatever was killed or failed. Under
 * at-least-once with faults, no rule has seen fewer records. Owned by one thread.
 */
final class MatcherExpectation implements Expectation {
    private final MatchingRules rules;
    private final long outputRate;
    private final boolean isExact;
    private final boolean isDisturbed;
    private final long[] matches;
    private final long[] sums;
    private long shuffled;
    private long shuffledBytes;

    MatcherExpectation(MatchingRules rules, long outputRate, boolean isExactlyOnce, boolean isDisturbed) {
        this.rules = rules;
        this.outputRate = outputRate;
        this.isExact = isExactlyOnce || !isDisturbed;
        this.isDisturbed = isDisturbed;
        matches = new long[rules.size()];
        sums = new long[rules.size()];
    }

    @Override
    public void add(Message message) {
        long first = ByteBuffer.wrap(message.value()).getLong();
        rules.match(message.value(), rule -> {
            matches[rule]++;
            sums[rule] += first;
            shuffled++;
            shuffledBytes += Long.BYTES + message.value().length;
        });
    }

    @Override
    public long shuffled() {
        return shuffled;
    }

    @Override
    public long shuffledBytes() {
        return shuffledBytes;
    }

    @Override
    public Optional<String> problem(Observed observed) {
        Optional<String> count = isDisturbed
                ? Optional.empty() // a killed instance loses what it counted, and what a transaction takes back was
                // counted too
                : Expectation.unlessEqual("matches after the shuffle", shuffled, observed.count());
        if (count.isPresent()) {
            return count;
        }
        Map<String, Account> accounts = new HashMap<>();
        observed.read(
                observed.topics().own(MatcherWorkload.OUTPUT),
                (key, event) -> accounts.computeIfAbsent(text(key), name -> new Account())
                        .event(ByteBuffer.wrap(event)));
        observed.read(
                observed.topics().changelog(MatcherWorkload.STORE),
                (key, state) -> accounts.computeIfAbsent(text(key), name -> new Account())
                        .state(ByteBuffer.wrap(state)));
        for (int rule = 0; rule < matches.length; rule++) {
            Account account = accounts.getOrDefault(MatchingRules.key(rule), new Account());
            Optional<String> problem = problem(rule, account);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private Optional<String> problem(int rule, Account account) {
        String key = MatchingRules.key(rule);
        long found = account.events * outputRate + account.restCount;
        if (!isExact) {
            return found >= matches[rule]
                    ? Optional.empty()
                    : Expectation.unlessEqual("matches of " + key + ", or more", matches[rule], found);
        }
        return Expectation.unlessEqual("events of " + key, matches[rule] / outputRate, account.events)
                .or(() -> Expectation.unlessEqual("matches of " + key, matches[rule], found))
                .or(() -> Expectation.unlessEqual("sum of " + key, sums[rule], account.sum + account.restSum));
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    /** The output for one rule. */
    private static final class Account {
        private long events;
        private long sum;
        private long restCount;
        private long restSum;

        void event(ByteBuffer event) {
            events++;
            sum += event.getLong(Long.BYTES);
        }

        /** Sets the rule's state. The last state remains. */
        void state(ByteBuffer state) {
            restCount = state.hasRemaining() ? state.getLong(0) : 0;
            restSum = state.hasRemaining() ? state.getLong(Long.BYTES) : 0;
        }
    }
}
