package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The records of a run: input, output, and the errors found in it. Thread-safe: guarded by itself.
 */
final class ChaosLedger {
    private final Map<Integer, Long> sent = new HashMap<>(); // number of records by sequence
    private final Map<Integer, Long> next = new HashMap<>(); // first number that has not come out
    private final Map<Integer, TreeMap<Long, Boolean>> early = new HashMap<>(); // came out before an earlier one
    private final Map<Integer, Long> last = new HashMap<>(); // number that came out last
    private final Map<Integer, Long> counts = new HashMap<>(); // last count by group
    private final Map<ChaosRecord, Long> sentAt = new HashMap<>(); // of those that have not come out
    private long slowestNanos;
    private long markedAt;
    private long marked; // sent before the mark and not out yet
    private long allSent;
    private long received;
    private long events;
    private long lastEvent = System.nanoTime();
    private long duplicated;
    private long outOfOrder;
    private long wrongState;
    private long jumps;
    private final Map<Integer, String> wrong = new TreeMap<>(); // first wrong number by key

    private static int sequence(int origin, int key) {
        return key * ChaosRecord.ORIGINS + origin;
    }

    /** The next record of a sequence; it counts as sent from now on. */
    synchronized ChaosRecord send(int origin, int key) {
        allSent++;
        long sequence = sent.merge(sequence(origin, key), 1L, Long::sum) - 1;
        ChaosRecord record = new ChaosRecord(origin, key, sequence);
        sentAt.put(record, System.nanoTime());
        return record;
    }

    /** Called when a record comes out, with the number from the stateful operator. */
    synchronized void receive(ChaosRecord record, long number) {
        received++;
        Long since = sentAt.remove(record);
        long took = since == null ? 0 : System.nanoTime() - since;
        slowestNanos = Math.max(slowestNanos, took);
        marked -= since != null && since <= markedAt ? 1 : 0;
        if (number != record.sequence() + 1) {
            wrongState++;
            wrong.putIfAbsent(
                    record.key(), "at " + Instant.now() + ": " + record + " came out with the number " + number);
        }
        int id = sequence(record.origin(), record.key());
        Long before = last.put(id, record.sequence());
        jumps += record.sequence() > (before == null ? -1 : before) + 1 ? 1 : 0;
        long expected = next.getOrDefault(id, 0L);
        TreeMap<Long, Boolean> ahead = early.computeIfAbsent(id, none -> new TreeMap<>());
        if (record.sequence() < expected || ahead.containsKey(record.sequence())) {
            duplicated++;
        } else if (record.sequence() > expected) {
            outOfOrder++;
            ahead.put(record.sequence(), true);
        } else {
            do {
                expected++;
            } while (ahead.remove(expected) != null);
            next.put(id, expected);
        }
        happened();
    }

    /** Called when a count comes out; the last count of a group is valid. */
    synchronized void count(int group, long count) {
        counts.put(group, count);
        happened();
    }

    synchronized long received() {
        return received;
    }

    /** The longest time of a record from input to output. */
    synchronized Duration slowest() {
        return Duration.ofNanos(slowestNanos);
    }

    /** Marks the present input: {@link #awaitMarked} waits for it. */
    synchronized void mark() {
        markedAt = System.nanoTime();
        marked = sentAt.size();
    }

    /** Waits until all input before the mark has come out; false if the time is over. */
    synchronized boolean awaitMarked(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (marked > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /** Approximate number of records that have not come out yet. */
    synchronized long behind() {
        return allSent - received;
    }

    /** A counter that changes with every output. */
    synchronized long events() {
        return events;
    }

    /** Waits until a number of records have come out; false if the time is over. */
    synchronized boolean awaitReceived(long number, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (received < number) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /** Waits until everything has come out; false if the time is over. */
    synchronized boolean awaitComplete(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!isComplete()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /**
     * Waits until a record is missing although a later one of its sequence came out; false if the
     * time is over.
     */
    synchronized boolean awaitSkipped(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (skipped() == 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    private long skipped() {
        long skipped = 0;
        for (Map.Entry<Integer, TreeMap<Long, Boolean>> entry : early.entrySet()) {
            TreeMap<Long, Boolean> ahead = entry.getValue();
            if (!ahead.isEmpty()) {
                skipped += ahead.lastKey() + 1 - next.getOrDefault(entry.getKey(), 0L) - ahead.size();
            }
        }
        return skipped;
    }

    /** Whether nothing has come out for a time. */
    synchronized boolean isStalled(Duration time) {
        return System.nanoTime() - lastEvent > time.toNanos();
    }

    private void happened() {
        events++;
        lastEvent = System.nanoTime();
        notifyAll();
    }

    /** Whether everything sent has come out, and every count has reached its number. */
    synchronized boolean isComplete() {
        return lost() == 0 && missingInCounts() == 0;
    }

    private long lost() {
        long lost = 0;
        for (Map.Entry<Integer, Long> entry : sent.entrySet()) {
            lost += entry.getValue() - next.getOrDefault(entry.getKey(), 0L);
            lost -= early.getOrDefault(entry.getKey(), new TreeMap<>()).size();
        }
        return lost;
    }

    private long missingInCounts() {
        return differences(1);
    }

    private long surplusInCounts() {
        return differences(-1);
    }

    private long differences(int sign) {
        Map<Integer, Long> expected = new HashMap<>();
        sent.forEach((sequence, number) ->
                expected.merge((sequence / ChaosRecord.ORIGINS) % ChaosRecord.GROUPS, number, Long::sum));
        return expected.entrySet().stream()
                .mapToLong(entry -> sign * (entry.getValue() - counts.getOrDefault(entry.getKey(), 0L)))
                .filter(difference -> difference > 0)
                .sum();
    }

    /** The first record with a wrong number, for each key. */
    synchronized List<String> wrong() {
        return List.copyOf(wrong.values());
    }

    /** The current result. */
    synchronized Verdict verdict() {
        return new Verdict(
                sent.values().stream().mapToLong(Long::longValue).sum(),
                received,
                lost(),
                duplicated,
                outOfOrder,
                wrongState,
                jumps,
                missingInCounts(),
                surplusInCounts(),
                skipped());
    }

    /**
     * The result of a run.
     *
     * @param sent records sent
     * @param received records received
     * @param lost records that never came out
     * @param duplicated records that came out again
     * @param outOfOrder records that came out before an earlier one
     * @param wrongState records whose number was not their place in their sequence
     * @param jumps records that came out after one that is neither their predecessor nor later; a
     *     redelivery may restart earlier, but then it leaves nothing out
     * @param missingInCounts records that the counts lack
     * @param surplusInCounts records that the counts have too many
     * @param skipped lost records of which a later one in their sequence came out, so more time
     *     would not help
     */
    record Verdict(
            long sent,
            long received,
            long lost,
            long duplicated,
            long outOfOrder,
            long wrongState,
            long jumps,
            long missingInCounts,
            long surplusInCounts,
            long skipped) {
        boolean isExact() {
            return sent == received
                    && lost + duplicated + outOfOrder + wrongState + missingInCounts + surplusInCounts == 0;
        }

        /**
         * Whether records were in order, except redeliveries, which restart at an earlier point and
         * continue from there.
         */
        boolean isOrdered() {
            return outOfOrder + jumps == 0;
        }

        boolean isWithoutLoss() {
            return lost + missingInCounts == 0;
        }
    }
}
