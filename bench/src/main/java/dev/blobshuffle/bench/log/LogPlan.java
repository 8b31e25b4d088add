package dev.blobshuffle.bench.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The plan of {@code bench log}.
 *
 * @param designs whose commits are counted, in turn
 * @param standbys without and with a synchronous standby
 * @param snapshots without and with an old snapshot of another session
 * @param publishers numbers of publishers at a time
 * @param rounds runs of each cell
 * @param warmUp before each run is measured; an old snapshot is held meanwhile
 * @param measured the measured time
 * @param entryBytes bytes of entries in each commit
 * @param walBytes sizes of entries whose WAL is measured
 * @param readRate commits per second while a reader follows
 * @param readTime time for which it follows; zero: no reader
 */
public record LogPlan(
        List<LogDesign> designs,
        List<Standby> standbys,
        List<Snapshot> snapshots,
        List<Integer> publishers,
        int rounds,
        Duration warmUp,
        Duration measured,
        int entryBytes,
        List<Integer> walBytes,
        int readRate,
        Duration readTime) {
    /** Bytes of entries that name their publisher and number. */
    static final int HEAD_BYTES = 12;

    private static final int MOST_ENTRY_BYTES = 64 * 1024;

    /** Checks the numbers. */
    public LogPlan {
        designs = List.copyOf(designs);
        standbys = List.copyOf(standbys);
        snapshots = List.copyOf(snapshots);
        publishers = List.copyOf(publishers);
        walBytes = List.copyOf(walBytes);
        if (rounds < 1 || measured.isNegative() || measured.isZero() || warmUp.isNegative() || readTime.isNegative()) {
            throw new IllegalArgumentException("Cannot measure a log: " + rounds + " rounds of " + measured
                    + " after a warm-up of " + warmUp + ". Ask for 1 round and 1 ms or more.");
        }
        publishers.forEach(number -> check("publishers", number, 1, 1000));
        check("commits per second", readRate, 1, 10_000);
        check("bytes of entries", entryBytes, HEAD_BYTES, MOST_ENTRY_BYTES);
        walBytes.forEach(bytes -> check("bytes of entries", bytes, HEAD_BYTES, MOST_ENTRY_BYTES));
    }

    private static void check(String what, int number, int least, int most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    "Cannot measure a log with " + number + " " + what + ". Ask for " + least + " to " + most + ".");
        }
    }

    /** Whether each commit waits for a second server. */
    public enum Standby {
        /** One server. */
        NONE,
        /** A commit returns when the standby has it on disk. */
        SYNCHRONOUS
    }

    /** The work of another session meanwhile. */
    public enum Snapshot {
        /** Nothing. */
        NONE,
        /** It holds a snapshot from before the first commit, as a dump does. */
        OLD
    }

    /**
     * A kind of run.
     *
     * @param design of the log
     * @param standby whether there is one
     * @param snapshot whether one is held
     * @param publishers at a time
     */
    public record Cell(LogDesign design, Standby standby, Snapshot snapshot, int publishers) {
        /** The same with another design. */
        Cell with(LogDesign other) {
            return new Cell(other, standby, snapshot, publishers);
        }

        /** The same with or without a snapshot. */
        Cell with(Snapshot other) {
            return new Cell(design, standby, other, publishers);
        }
    }

    /** All kinds of runs. The designs of one kind follow each other. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (Standby standby : standbys) {
            for (Snapshot snapshot : snapshots) {
                for (int number : publishers) {
                    designs.forEach(design -> cells.add(new Cell(design, standby, snapshot, number)));
                }
            }
        }
        return cells;
    }
}
