package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;

/**
 * The due times of an input's records, at the rate of the load. Without a rate, each key has a
 * record per second, and the last record is due now.
 *
 * @param start milliseconds, of the first record
 * @param perSecond records per second
 */
public record Timeline(long start, double perSecond) {
    /** The timeline of a run that starts at a time, in milliseconds. */
    public static Timeline of(Parameters parameters, long now) {
        if (parameters.hasRate()) {
            return new Timeline(now, parameters.number(Parameter.RATE));
        }
        double perSecond = parameters.number(Parameter.KEYS);
        return new Timeline(now - (long) (parameters.allRecords() * 1000.0 / perSecond), perSecond);
    }

    /** When a record is due, in milliseconds. */
    long timestamp(long index) {
        return start + (long) (index * 1000.0 / perSecond);
    }

    /** How long after the start a record is due, in nanoseconds. */
    public long nanosAfterStart(long index) {
        return (long) (index * 1e9 / perSecond);
    }
}
