package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.log.internal.SequencedBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What publishers were promised, what readers saw, and what of it does not agree. Guarded by the
 * simulation's baton.
 */
final class LogLedger {
    /** Enough to understand a failure. */
    private static final int MOST_VIOLATIONS = 10;

    private final Map<LogFault, Integer> faults = new EnumMap<>(LogFault.class);
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Sent> sent = new LinkedHashMap<>();
    private final Map<Integer, List<String>> seen = new HashMap<>();
    private long moment;

    /** What a publisher knows of its commit. */
    enum Fate {
        /** Not answered yet. */
        OPEN,
        /** It is in the log. */
        ACKNOWLEDGED,
        /** It is not in the log, and never will be. */
        REFUSED
    }

    /** A commit. Its records have its name and their index, key and topic. */
    static final class Sent {
        final String publisher;
        final int number;
        final long began;

        /** Of the writer that tried last. */
        int epoch;

        long ended = Long.MAX_VALUE;
        Fate fate = Fate.OPEN;
        final List<Row> rows = new ArrayList<>();

        Sent(String publisher, int number, long began) {
            this.publisher = publisher;
            this.number = number;
            this.began = began;
        }
    }

    /** A record. */
    record Row(String id, int topic, int partition, int key) {}

    /** Counts an injected fault. */
    void fault(LogFault fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** Notes a broken promise. */
    void violation(String what) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(what);
        }
    }

    /** Whether a promise was broken: the schedule may end. */
    boolean isBroken() {
        return !violations.isEmpty();
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    Map<LogFault, Integer> faults() {
        return Map.copyOf(faults);
    }

    /** A publisher begins a commit. */
    Sent begin(String publisher, int incarnation, int number) {
        Sent commit = new Sent(publisher, number, moment++);
        sent.put(publisher + "#" + incarnation + "/" + number, commit);
        return commit;
    }

    /** A publisher knows how a commit went. */
    void end(Sent commit, Fate fate) {
        commit.fate = fate;
        commit.ended = moment++;
    }

    // ---- what readers see

    /** The records of a batch. */
    static List<Row> rows(int topic, SequencedBatch batch) {
        List<Row> rows = new ArrayList<>();
        for (String row : new String(batch.entries(), StandardCharsets.UTF_8).split(";", -1)) {
            String[] fields = row.split(",", -1);
            rows.add(new Row(fields[0], topic, Integer.parseInt(fields[1]), Integer.parseInt(fields[2])));
        }
        return rows;
    }

    /** A row as the entries of a batch hold it. */
    static String text(Row row) {
        return row.id + "," + row.partition + "," + row.key;
    }

    /** A reader got a batch: it must be the one that others got at this place. */
    void saw(int topic, SequencedBatch batch) {
        List<String> order = seen.computeIfAbsent(topic, unknown -> new ArrayList<>());
        String text = batch.id() + ":" + new String(batch.entries(), StandardCharsets.UTF_8);
        if (batch.sequence() > order.size()) {
            violation("topic " + topic + " has a hole before sequence " + batch.sequence());
        } else if (batch.sequence() == order.size()) {
            order.add(text);
        } else if (!order.get((int) batch.sequence()).equals(text)) {
            violation("topic " + topic + " changed at sequence " + batch.sequence());
        }
    }

    /** Number of batches of a topic that somebody has read. */
    int end(int topic) {
        return seen.getOrDefault(topic, List.of()).size();
    }

    // ---- what must hold in the end

    /** Checks the log and the user's table. */
    void check(List<String> table) {
        Map<String, Row> inLog = new LinkedHashMap<>();
        seen.forEach((topic, order) -> checkOrder(topic, order, inLog));
        for (Map.Entry<String, Sent> commit : sent.entrySet()) {
            checkFate(commit.getKey(), commit.getValue(), inLog.keySet());
        }
        Set<String> once = new HashSet<>();
        for (String row : table) {
            if (!once.add(row)) {
                violation("record " + row + " is in the user's table twice");
            }
        }
        for (String id : inLog.keySet()) {
            if (!once.remove(id)) {
                violation("record " + id + " is in the log but not in the user's table");
            }
        }
        once.forEach(row -> violation("record " + row + " is in the user's table but not in the log"));
    }

    private void checkFate(String name, Sent commit, Set<String> inLog) {
        long there = commit.rows.stream().filter(row -> inLog.contains(row.id)).count();
        if (commit.fate == Fate.ACKNOWLEDGED && there < commit.rows.size()) {
            violation("commit " + name + " was acknowledged but is not in the log");
        } else if (commit.fate == Fate.REFUSED && there > 0) {
            violation("commit " + name + " was refused but is in the log");
        } else if (there > 0 && there < commit.rows.size()) {
            violation("commit " + name + " is in the log in part");
        }
    }

    private void checkOrder(int topic, List<String> order, Map<String, Row> inLog) {
        Map<String, Sent> last = new HashMap<>();
        long latestBegin = -1;
        for (String text : order) {
            String entries = text.substring(text.indexOf(':') + 1);
            for (Row row : rows(topic, new SequencedBatch(0, 0, 0, entries.getBytes(StandardCharsets.UTF_8)))) {
                if (inLog.put(row.id, row) != null) {
                    violation("record " + row.id + " is in the log twice");
                }
                Sent commit = sent.get(row.id.substring(0, row.id.lastIndexOf('/')));
                if (commit == null) {
                    violation("record " + row.id + " was never published");
                    continue;
                }
                if (commit.ended < latestBegin && commit.fate == Fate.ACKNOWLEDGED) {
                    violation("record " + row.id + " was acknowledged before one began that comes earlier");
                }
                latestBegin = Math.max(latestBegin, commit.began);
                checkKey(last, row, commit);
            }
        }
    }

    private void checkKey(Map<String, Sent> last, Row row, Sent commit) {
        Sent before = last.put(commit.publisher + "," + row.key, commit);
        if (before != null
                && (before.epoch > commit.epoch || (before.epoch == commit.epoch && before.number > commit.number))) {
            violation("record " + row.id + " came after a later one of its publisher and key");
        }
    }
}
