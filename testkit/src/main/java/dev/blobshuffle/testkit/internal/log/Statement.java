package dev.blobshuffle.testkit.internal.log;

/** The work of a call in the database. It replies once, now or later. Guarded by the database. */
@FunctionalInterface
interface Statement<T> {
    /** Begins. */
    void run(Session session, Reply<T> reply);
}
