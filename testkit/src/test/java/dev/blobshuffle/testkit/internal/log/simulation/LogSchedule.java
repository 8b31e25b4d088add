package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a seed decides before a schedule starts. Each schedule has only some kinds of faults, so
 * that no kind hides what another one would find.
 *
 * @param publishers number of publishers
 * @param commits commits of each publisher
 * @param subscribers members of the group
 * @param sweepers number of sweepers
 * @param isTrimmedByAge whether topics are trimmed by age; otherwise by consumption
 * @param faults the kinds of faults that may happen
 * @param chaos number of kills, replacements and fail-overs
 * @param options limits of the log
 */
record LogSchedule(
        int publishers,
        int commits,
        int subscribers,
        int sweepers,
        int topics,
        int partitions,
        boolean isTrimmedByAge,
        Set<LogFault> faults,
        int chaos,
        LogOptions options) {
    /** How long topics keep batches that are trimmed by age; longer than any schedule. */
    static final Duration AGE = Duration.ofHours(3);

    /** How long a blob waits between its tombstone and its deletion. */
    static final Duration GRACE = Duration.ofMinutes(3);

    /** The longest from the start of an upload to its effect. */
    static final Duration LONGEST_UPLOAD = Duration.ofMinutes(6);

    /** How far the clock goes back at most: less than slack and grace, which allow for it. */
    static final Duration CLOCK_BACK = Duration.ofSeconds(150);

    /** Before this time no blob is old enough to be buried. */
    static final Duration FIRST_BURIAL = Duration.ofMinutes(4);

    /** The schedule of the time's seed. */
    static LogSchedule of(SimulatedTime time) {
        Set<LogFault> faults = EnumSet.noneOf(LogFault.class);
        for (LogFault fault : LogFault.values()) {
            if (time.random(3) == 0) {
                faults.add(fault);
            }
        }
        if (faults.contains(LogFault.CLOCK_WENT_BACK) && time.random(4) > 0) {
            faults.add(LogFault.PUBLISHER_PAUSED); // Blobs that are old when the clock goes back.
        }
        Duration rowTime = Duration.ofMillis(time.random(3) == 0 ? 800 : 0);
        return new LogSchedule(
                1 + time.random(3),
                5 + time.random(8),
                1 + time.random(2) + time.random(2),
                1 + time.random(2),
                1 + time.random(2),
                1 + time.random(3),
                time.random(4) == 0,
                faults,
                2 + time.random(4),
                new LogOptions(1, 1, 5, 7, rowTime, Duration.ofSeconds(5), Duration.ofSeconds(10)));
    }

    /** A publisher stands still once in so many uploads. */
    int pausesOneIn() {
        return faults.contains(LogFault.CLOCK_WENT_BACK) ? 3 : 8;
    }

    /** The longest time between two strikes. */
    int longestPauseMillis() {
        return faults.contains(LogFault.CLOCK_WENT_BACK) ? 180_000 : 40_000;
    }
}
