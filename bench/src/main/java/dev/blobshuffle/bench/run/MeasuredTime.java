package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.Locale;
import java.util.Optional;

/**
 * The time between the warm-up and the end of a run, with the records that left the shuffle before,
 * during and after it.
 *
 * @param seconds of it
 * @param before records in the warm-up
 * @param during records that are measured
 * @param after records after the measured time
 */
record MeasuredTime(double seconds, long before, long during, long after) {
    /** The least share of the requested time in which a run is still meaningful. */
    private static final double LEAST_SHARE = 0.5;

    /**
     * Why the run is not meaningful, with the remedy; empty if it is. With faults, only the output
     * matters, which is checked separately.
     */
    Optional<String> problem(Parameters parameters) {
        if (parameters.hasFaults()) {
            return Optional.empty();
        }
        if (parameters.hasRate() && seconds < LEAST_SHARE * parameters.number(Parameter.SECONDS)) {
            return text(
                    "not measured: this machine is so busy that of %d s %.1f were left when this process had its turn. "
                            + "Measure on a quieter one, or longer: %s",
                    parameters.number(Parameter.SECONDS), seconds, moreTime(parameters));
        }
        if (during > 0) {
            return Optional.empty();
        }
        String remedy = parameters.hasRate()
                ? "Give a lower rate, or more time: " + moreTime(parameters)
                : "Give more: --with records=" + 4 * parameters.number(Parameter.RECORDS);
        return text(
                "not measured: in %.1f s nothing came out of the shuffle, %d records before and %d afterwards. %s",
                seconds, before, after, remedy);
    }

    private static String moreTime(Parameters parameters) {
        return "--with warm-up-seconds=" + Math.max(1, 2 * parameters.number(Parameter.WARM_UP_SECONDS))
                + " --with seconds=" + 2 * parameters.number(Parameter.SECONDS);
    }

    private static Optional<String> text(String format, Object... values) {
        return Optional.of(String.format(Locale.ROOT, format, values));
    }
}
