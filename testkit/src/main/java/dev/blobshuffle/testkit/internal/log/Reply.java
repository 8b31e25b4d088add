package dev.blobshuffle.testkit.internal.log;

/** Ends a statement. Guarded by the database. */
interface Reply<T> {
    /** Commits the session, and answers. */
    void succeed(T value);

    /** Rolls the session back, and answers. */
    void fail(RuntimeException failure);
}
