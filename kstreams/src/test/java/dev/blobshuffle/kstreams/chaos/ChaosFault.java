package dev.blobshuffle.kstreams.chaos;

/** What is done to a run. */
enum ChaosFault {
    /** SIGKILL of an instance; a new one takes its place. */
    KILL_INSTANCE,
    /** The instance's JVM ends without any clean-up, by its own decision. */
    HALT_INSTANCE,
    /** SIGSTOP of an instance for longer than its session, then SIGCONT: a zombie comes back. */
    FREEZE_INSTANCE,
    /** Code of the user throws: the stream thread dies and is replaced. */
    THROW_IN_USER_CODE,
    /** A stream thread is removed in order and another added. */
    REPLACE_THREAD,
    /** One more instance comes, and goes again in order. */
    ADD_AND_REMOVE_INSTANCE,
    /** SIGKILL of a broker; it starts again on its data. */
    KILL_BROKER,
    /** Every request to the store is refused, for longer than a commit waits for its uploads. */
    STORE_REFUSES(Store.REFUSE),
    /** Every request takes seconds. */
    STORE_IS_SLOW(Store.SLOW),
    /** Requests fail although they had their effect. */
    STORE_FAILS_AFTER_SUCCESS(Store.FAIL_AFTER),
    /** Reads return too few bytes. */
    STORE_TRUNCATES(Store.TRUNCATE),
    /** Reads return bytes with one wrong bit. */
    STORE_FLIPS_BITS(Store.FLIP),
    /** Reads are answered as if the blob did not exist. */
    STORE_HIDES_BLOBS(Store.MISSING);

    private final Store store;

    ChaosFault() {
        this(Store.HEALTHY);
    }

    ChaosFault(Store store) {
        this.store = store;
    }

    /** What the store does meanwhile. */
    Store store() {
        return store;
    }

    /** Moods of the store. */
    enum Store {
        HEALTHY,
        REFUSE,
        SLOW,
        FAIL_AFTER,
        TRUNCATE,
        FLIP,
        MISSING
    }
}
