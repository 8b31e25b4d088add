package dev.blobshuffle.kstreams.differential;

/** The outputs of the topology, and what two correct runs must agree on. */
public enum Output {
    /** Number of records per user. */
    COUNTS(Agreement.TABLE),
    /** Digest of each user's records in the order of each input partition. */
    DIGESTS(Agreement.TABLE),
    /** Final count per window, by suppress. */
    WINDOWS(Agreement.MULTISET),
    /** Number of records per session. */
    SESSIONS(Agreement.TABLE),
    /** Stream-stream join of two repartitioned streams. */
    JOINED(Agreement.MULTISET),
    /** Join of a repartitioned stream with a table. */
    ENRICHED(Agreement.MULTISET),
    /** Foreign-key join of two tables. The time of a result depends on which side came last. */
    DELIVERIES(Agreement.VALUES),
    /**
     * Table grouped by a part of its values, with a subtractor. A cache in front may skip the
     * change that would give the latest time.
     */
    SALES(Agreement.VALUES),
    /** Stream turned into a table by a new key. */
    LATEST(Agreement.TABLE),
    /** Records after an explicit {@code repartition()}. */
    MOVED(Agreement.SEQUENCE),
    /** Digest per user of the keys after two shuffles in a chain. */
    CHAINED(Agreement.TABLE);

    private final Agreement agreement;

    Output(Agreement agreement) {
        this.agreement = agreement;
    }

    /** What two correct runs agree on. */
    public Agreement agreement() {
        return agreement;
    }

    /** The end of the topic's name. */
    public String topic() {
        return "out-" + name().toLowerCase(java.util.Locale.ROOT);
    }

    /** What must be the same in two correct runs of a topology. */
    public enum Agreement {
        /**
         * The last value of every key and its timestamp. A key whose last value is null is absent.
         */
        TABLE,
        /** The last value of every key. A key whose last value is null is absent. */
        VALUES,
        /** All rows, in any order. */
        MULTISET,
        /** All rows, in order per key. */
        SEQUENCE
    }
}
