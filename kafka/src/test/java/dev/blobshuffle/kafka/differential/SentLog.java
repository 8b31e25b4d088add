package dev.blobshuffle.kafka.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The records that one side has in its topic, by the offsets of their acknowledgements. The offsets
 * of the two sides differ, so offsets are compared by the records that they name. Thread-safe:
 * callbacks write.
 */
final class SentLog {
    /** The name of an offset beyond all records. */
    static final String END = "end";

    /** The name of an offset without a record. */
    static final String BETWEEN = "between records, then ";

    private final Map<Integer, NavigableMap<Long, Integer>> partitions = new HashMap<>();
    private final Set<Integer> open = new HashSet<>();
    private final Set<Integer> aborted = new HashSet<>();
    private final List<String> problems = new ArrayList<>();
    private final Setup.Isolation isolation;

    SentLog(Setup.Isolation isolation) {
        this.isolation = isolation;
    }

    synchronized void acknowledged(int partition, long offset, int record) {
        NavigableMap<Long, Integer> log = partitions.computeIfAbsent(partition, absent -> new TreeMap<>());
        if (!log.isEmpty() && log.lastKey() >= offset) {
            problems.add(
                    "#" + record + " is acknowledged after #" + log.lastEntry().getValue());
        }
        log.put(offset, record);
    }

    /** Acknowledgements that were out of order. */
    synchronized List<String> problems() {
        return List.copyOf(problems);
    }

    /** Adds a record of the open transaction. */
    synchronized void opened(int record) {
        open.add(record);
    }

    synchronized void committed() {
        open.clear();
    }

    synchronized void aborted() {
        aborted.addAll(open);
        open.clear();
    }

    /** Called when the topic was recreated. */
    synchronized void clear() {
        partitions.clear();
        open.clear();
        aborted.clear();
    }

    synchronized boolean isAborted(int record) {
        return aborted.contains(record);
    }

    synchronized boolean hasAborted() {
        return !aborted.isEmpty();
    }

    /** The record at an offset, or the first one after it. */
    synchronized String at(int partition, long offset) {
        if (offset < 0) {
            return String.valueOf(offset);
        }
        for (int record : log(partition).tailMap(offset, true).values()) {
            if (isVisible(record)) {
                return "#" + record;
            }
        }
        return END;
    }

    /** The answer about a time: the record at an offset, and its timestamp. */
    synchronized String at(int partition, long offset, long timestamp, long started) {
        String text = at(partition, offset);
        return isRecord(partition, offset)
                ? text + " at " + (timestamp >= started ? "now" : timestamp)
                : BETWEEN + text;
    }

    /** Whether a record that a consumer can see has exactly this offset. */
    private boolean isRecord(int partition, long offset) {
        Integer record = log(partition).get(offset);
        return record != null && isVisible(record);
    }

    /** Offsets of the records that a consumer can see, in order. */
    synchronized List<Long> offsets(int partition) {
        List<Long> offsets = new ArrayList<>();
        log(partition).forEach((offset, record) -> {
            if (isVisible(record)) {
                offsets.add(offset);
            }
        });
        return offsets;
    }

    private NavigableMap<Long, Integer> log(int partition) {
        return partitions.getOrDefault(partition, new TreeMap<>());
    }

    private boolean isVisible(int record) {
        return !aborted.contains(record) && (isolation == Setup.Isolation.READ_UNCOMMITTED || !open.contains(record));
    }
}
