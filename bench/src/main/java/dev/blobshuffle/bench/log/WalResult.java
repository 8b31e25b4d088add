package dev.blobshuffle.bench.log;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The write-ahead log that commits take.
 *
 * @param design of the log
 * @param entryBytes of each commit
 * @param round from 0
 * @param commitBytes WAL per commit, in bytes
 * @param sequenceBytes WAL per commit for its place, in bytes; 0 if the commit itself takes the
 *     place
 */
record WalResult(LogDesign design, int entryBytes, int round, double commitBytes, double sequenceBytes) {
    double bytes() {
        return commitBytes + sequenceBytes;
    }

    /** The result as a line of text. */
    String line() {
        return String.format(
                Locale.ROOT,
                "  %-17s %6d bytes of entries: %7.0f bytes of WAL to commit, %4.0f to sequence",
                design.title(),
                entryBytes,
                commitBytes,
                sequenceBytes);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("design", design.id());
        json.put("entry_bytes", entryBytes);
        json.put("round", round);
        json.put("commit_wal_bytes", commitBytes);
        json.put("sequence_wal_bytes", sequenceBytes);
        return json;
    }
}
