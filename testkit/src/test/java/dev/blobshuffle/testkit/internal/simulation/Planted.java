package dev.blobshuffle.testkit.internal.simulation;

import java.util.List;
import java.util.function.LongFunction;
import java.util.regex.Pattern;

/** A mistake that a simulation must find, and the violation that it causes. */
public interface Planted {
    /** Finds the violation in a report. */
    Pattern violation();

    /**
     * Runs schedules until one reports the violation. A seed that reports something else has found
     * nothing: it may have met another defect.
     *
     * @param first the first of a thousand seeds
     * @param violations runs the schedule of a seed with the mistake; what it reports
     */
    default void mustBeFound(long first, LongFunction<List<String>> violations) {
        String last = "none";
        for (long seed = first; seed < first + 1000; seed++) {
            List<String> reported = violations.apply(seed);
            if (!reported.isEmpty()) {
                last = reported.get(0);
                if (violation().matcher(last).find()) {
                    return;
                }
            }
        }
        throw new AssertionError("The simulation did not find " + this + "; the last violation: " + last);
    }
}
