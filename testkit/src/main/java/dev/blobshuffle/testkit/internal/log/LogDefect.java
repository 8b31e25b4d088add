package dev.blobshuffle.testkit.internal.log;

/** Mistakes that a commit log could contain, to prove that tests find them. */
public enum LogDefect {
    /** Sequences are drawn before the topic's lock is taken. */
    SEQUENCE_DRAWN_BEFORE_LOCK,
    /** Each writer draws identities in blocks, before it needs them. */
    IDENTITIES_DRAWN_AHEAD,
    /** One call sequences everything that is staged, however long it takes. */
    SEQUENCES_WITHOUT_LIMIT,
    /** A burial does not wait for open commits. */
    BURIES_WITHOUT_LOCK,
    /** A commit reads the clock before it takes the lock against burials. */
    CLOCK_READ_BEFORE_LOCK,
    /** A commit may refer to a blob with a tombstone. */
    COMMIT_IGNORES_TOMBSTONES,
    /** A commit that happened already is reported as one that did not. */
    DUPLICATE_FAILS,
    /** A transaction that happened already is reported as success, and commits again. */
    DUPLICATE_IN_TRANSACTION_SUCCEEDS,
    /** A new owner of a partition has the generation of the old one. */
    GENERATION_NOT_RAISED,
    /** Each epoch of a writer counts its commits from 0. */
    NUMBERS_BEGIN_AGAIN,
    /** Whether a number is committed is answered without regard to the epoch that asks. */
    ANSWERS_FOR_ANY_EPOCH
}
