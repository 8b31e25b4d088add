package dev.blobshuffle.core.store;

import dev.blobshuffle.core.time.Time;

/**
 * The environment of a store, passed when it is opened.
 *
 * @param time its clock, timers, threads and random numbers; outlives the store
 * @param meter where it reports requests that its decorators cannot see
 * @param whenAbsent what to do if the store, or a part of it, does not exist
 */
public record StoreContext(Time time, RequestMeter meter, WhenAbsent whenAbsent) {
    /** The behaviour of opening if the store, or a part of it, does not exist. */
    public enum WhenAbsent {
        /** Creates the store. */
        CREATE,
        /**
         * Creates the store, or adds the directories that it lacks to one of several directories.
         * For operators' commands only: an instance with a wrong directory in its settings must not
         * add it.
         */
        CREATE_OR_EXTEND,
        /** Fails with {@link dev.blobshuffle.core.failure.StoreAbsentException}. */
        FAIL
    }

    /** A context that creates the store if there is none. */
    public StoreContext(Time time, RequestMeter meter) {
        this(time, meter, WhenAbsent.CREATE);
    }

    /** A context that counts no requests and creates the store if there is none. */
    public static StoreContext unmetered(Time time) {
        return new StoreContext(time, RequestMeter.NONE);
    }

    /** The same context, for an operator who creates or extends a store. */
    public StoreContext extending() {
        return new StoreContext(time, meter, WhenAbsent.CREATE_OR_EXTEND);
    }

    /** The same context, for a store that must exist. */
    public StoreContext existing() {
        return new StoreContext(time, meter, WhenAbsent.FAIL);
    }
}
