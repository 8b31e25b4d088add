package dev.blobshuffle.core.store;

import dev.blobshuffle.core.time.Time;

/**
 * What a store is given when it is opened.
 *
 * @param time its clock, timers, threads and chance; outlives the store
 * @param meter where it reports requests that nobody above can see
 */
public record StoreContext(Time time, RequestMeter meter) {
    /** A context whose requests nobody counts. */
    public static StoreContext unmetered(Time time) {
        return new StoreContext(time, RequestMeter.NONE);
    }
}
