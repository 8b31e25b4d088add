package dev.blobshuffle.kstreams.chaos;

/** A fault that is injected into a run. */
enum ChaosFault {
    /** SIGKILL of an instance; a new one takes its place. */
    KILL_INSTANCE,
    /** The instance's JVM ends without any clean-up, on command. */
    HALT_INSTANCE,
    /** SIGSTOP of an instance for longer than its session, then SIGCONT: it returns as a zombie. */
    FREEZE_INSTANCE,
    /** User code throws: the stream thread dies and is replaced. */
    THROW_IN_USER_CODE,
    /** A stream thread is removed properly and another is added. */
    REPLACE_THREAD,
    /** Another instance starts, and stops properly again. */
    ADD_AND_REMOVE_INSTANCE,
    /** SIGKILL of a broker; it restarts with its data. */
    KILL_BROKER,
    /** SIGSTOP of a broker for longer than its session with the controllers, then SIGCONT. */
    FREEZE_BROKER,
    /**
     * The leader of every partition moves, and with them all coordinators of groups and
     * transactions.
     */
    MOVE_LEADERS,
    /** All traffic between an instance and the brokers is blocked, for longer than its session. */
    CUT_OFF_FROM_BROKERS,
    /** An instance's requests do not reach the brokers; the brokers' answers still reach it. */
    CUT_OFF_TO_BROKERS,
    /** An instance's requests reach the brokers; the brokers' answers do not reach it. */
    CUT_OFF_FROM_ANSWERS,
    /** All traffic between an instance and one of the brokers is blocked. */
    CUT_OFF_FROM_ONE_BROKER,
    /**
     * A stream thread's transaction times out while its process and its group membership continue.
     */
    TRANSACTION_TIMES_OUT,
    /** The wall clock of an instance jumps by hours, and back. */
    CLOCK_JUMPS,
    /**
     * The files of an instance cannot grow beyond a few bytes, as on a full disk: writes of blobs
     * fail in the middle.
     */
    DISK_IS_FULL,
    /** Requests of one instance do not reach the store, without an error. */
    CUT_OFF_TO_STORE(Store.UNHEARD),
    /** Requests of one instance reach the store, its answers are lost. */
    CUT_OFF_FROM_STORE(Store.SILENT),
    /** The store refuses every request, for longer than a commit waits for its uploads. */
    STORE_REFUSES(Store.REFUSE),
    /** Every request takes seconds. */
    STORE_IS_SLOW(Store.SLOW),
    /** Requests fail although they have taken effect. */
    STORE_FAILS_AFTER_SUCCESS(Store.FAIL_AFTER),
    /** Reads return too few bytes. */
    STORE_TRUNCATES(Store.TRUNCATE),
    /** Reads return bytes with one wrong bit. */
    STORE_FLIPS_BITS(Store.FLIP),
    /** Reads report that the blob does not exist. */
    STORE_HIDES_BLOBS(Store.MISSING);

    private final Store store;

    ChaosFault() {
        this(Store.HEALTHY);
    }

    ChaosFault(Store store) {
        this.store = store;
    }

    /**
     * Whether an instance that counts as dead may continue to write. Then two writers alternate for
     * a while, natively too, and under at-least-once there is no guarantee of order.
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

    /** Whether it needs more than one broker. */
    boolean needsManyBrokers() {
        return this == MOVE_LEADERS || this == CUT_OFF_FROM_ONE_BROKER;
    }

    /** The state of the store during the fault. */
    Store store() {
        return store;
    }

    /** States of the store. */
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
