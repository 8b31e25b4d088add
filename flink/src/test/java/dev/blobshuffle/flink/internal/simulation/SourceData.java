package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.simulator.SimulatedTime;

/**
 * The input of a job: splits of records with rising timestamps. A record exists from the time of
 * its timestamp on, in milliseconds since the start. Immutable.
 */
final class SourceData {
    private final long[][] times;
    private final int[][] keys;
    private final int[][] lengths;

    /** A record, as it travels. */
    record Row(int split, int number, int key) {
        static Row parse(String text) {
            String[] parts = text.split(",", 4);
            return new Row(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        }

        /** Distinguishes it from all others. */
        long id() {
            return (long) split << 32 | number;
        }
    }

    SourceData(FlinkSchedule schedule, SimulatedTime time) {
        times = new long[schedule.splits()][];
        keys = new int[schedule.splits()][];
        lengths = new int[schedule.splits()][];
        for (int split = 0; split < schedule.splits(); split++) {
            int records = schedule.records() / 2 + time.random(schedule.records());
            times[split] = new long[records];
            keys[split] = new int[records];
            lengths[split] = new int[records];
            long at = 0;
            for (int number = 0; number < records; number++) {
                at += gap(schedule, time);
                times[split][number] = at;
                keys[split][number] = time.random(schedule.keys());
                lengths[split][number] = time.random(6) == 0 ? time.random(400) : time.random(20);
            }
        }
    }

    private static long gap(FlinkSchedule schedule, SimulatedTime time) {
        if (time.random(schedule.burst()) > 0) {
            return 1 + time.random(3);
        }
        return 1 + time.random(time.random(4) > 0 ? 300 : schedule.isLong() ? 180_000 : 3_000);
    }

    int splits() {
        return times.length;
    }

    int records(int split) {
        return times[split].length;
    }

    long timestamp(int split, int number) {
        return times[split][number];
    }

    String record(int split, int number) {
        return split + "," + number + "," + keys[split][number] + "," + "x".repeat(lengths[split][number]);
    }
}
