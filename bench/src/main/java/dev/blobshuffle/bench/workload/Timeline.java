package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;

/**
 * When the records of an input are due: at the rate of the load; without one, as if each key had a
 * record per second, the last of them now.
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
