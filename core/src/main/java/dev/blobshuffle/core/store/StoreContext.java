package dev.blobshuffle.core.store;

import dev.blobshuffle.core.time.Time;

/**
 * What a store is given when it is opened.
 *
 * @param time its clock, timers, threads and chance; outlives the store
 * @param meter where it reports requests that nobody above can see
 * @param whenAbsent what to do where there is no store
 */
public record StoreContext(Time time, RequestMeter meter, WhenAbsent whenAbsent) {
    /** What opening does in a place without a store. */
    public enum WhenAbsent {
        /** Makes a store there. */
        CREATE,
        /** Fails with {@link dev.blobshuffle.core.failure.StoreAbsent}. */
        FAIL
    }

    /** A context that makes the store if there is none. */
    public StoreContext(Time time, RequestMeter meter) {
        this(time, meter, WhenAbsent.CREATE);
    }

    /** A context whose requests nobody counts, and that makes the store if there is none. */
    public static StoreContext unmetered(Time time) {
        return new StoreContext(time, RequestMeter.NONE);
    }

    /** The same for a store that must be there. */
    public StoreContext existing() {
        return new StoreContext(time, meter, WhenAbsent.FAIL);
    }
}
