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
    /** SIGSTOP of a broker for longer than its session with the controllers, then SIGCONT. */
    FREEZE_BROKER,
    /**
     * The leader of every partition moves, and with them all coordinators of groups and
     * transactions.
     */
    MOVE_LEADERS,
    /** Nothing passes between an instance and the brokers, for longer than its session. */
    CUT_OFF_FROM_BROKERS,
    /** What an instance sends does not reach the brokers, what they send reaches it. */
    CUT_OFF_TO_BROKERS,
    /** What an instance sends reaches the brokers, what they send does not reach it. */
    CUT_OFF_FROM_ANSWERS,
    /** Nothing passes between an instance and one of the brokers. */
    CUT_OFF_FROM_ONE_BROKER,
    /** A stream thread's transaction times out while its process and its group membership go on. */
    TRANSACTION_TIMES_OUT,
    /** The wall clock of an instance jumps by hours, and back. */
    CLOCK_JUMPS,
    /**
     * No file of an instance may grow beyond a few bytes, as on a full disk: writes of blobs fail
     * in the middle.
     */
    DISK_IS_FULL,
    /** Requests of one instance do not reach the store, and nobody says so. */
    CUT_OFF_TO_STORE(Store.UNHEARD),
    /** Requests of one instance reach the store, its answers are lost. */
    CUT_OFF_FROM_STORE(Store.SILENT),
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

    /**
     * Whether somebody who is taken for dead may go on writing: then two writers take turns for a
     * while, natively too, and under at-least-once nobody promises an order.
     */
    boolean leavesZombies() {
        return switch (this) {
            case FREEZE_INSTANCE,
                    FREEZE_BROKER,
                    CUT_OFF_FROM_BROKERS,
                    CUT_OFF_TO_BROKERS,
                    CUT_OFF_FROM_ANSWERS,
                    CUT_OFF_FROM_ONE_BROKER,
                    TRANSACTION_TIMES_OUT -> true;
            default -> false;
        };
    }

    /** Whether one broker alone cannot have it. */
    boolean needsManyBrokers() {
        return this == MOVE_LEADERS || this == CUT_OFF_FROM_ONE_BROKER;
    }

    /** What the store does meanwhile. */
    Store store() {
        return store;
    }

    /** Moods of the store. */
    enum Store {
        HEALTHY,
        REFUSE,
        UNHEARD,
        SILENT,
        SLOW,
        FAIL_AFTER,
        TRUNCATE,
        FLIP,
        MISSING
    }
}
