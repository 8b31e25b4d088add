package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.time.Duration;

/** One run of each repetition: a variant with the parameters of a cell. */
record Turn(Cell cell, Variant variant) {
    private static final int MANY_RECORDS = 500_000;
    private static final int MANY_SECONDS = 20;

    /**
     * The estimated duration; 0 if it is unknown. With a rate, the measured time is known, and the
     * start of processes and the drain of records take as long again. Without a rate, the duration
     * is unknown.
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
