package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.time.Duration;

/** What runs once per repetition: a variant with the parameters of a cell. */
record Turn(Cell cell, Variant variant) {
    private static final int MANY_RECORDS = 500_000;
    private static final int MANY_SECONDS = 20;

    /**
     * With a rate it is known how long something is measured; processes that start, and records
     * that are still under way, take as long again. Without one nobody knows: 0.
     */
    long guessedNanos() {
        Parameters parameters = cell.parameters();
        long seconds = parameters.number(Parameter.WARM_UP_SECONDS) + parameters.number(Parameter.SECONDS);
        return parameters.hasRate() ? Duration.ofSeconds(2 * seconds).toNanos() : 0;
    }

    /** Whether its CPU time is worth comparing. */
    boolean isLong() {
        Parameters parameters = cell.parameters();
        return parameters.hasRate()
                ? parameters.number(Parameter.SECONDS) >= MANY_SECONDS
                : parameters.number(Parameter.RECORDS) >= MANY_RECORDS;
    }
}
