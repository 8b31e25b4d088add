package dev.blobshuffle.testkit.internal.log;

/** What a call does in the database. It replies once, now or later. Guarded by the database. */
@FunctionalInterface
interface Statement<T> {
    /** Begins. */
    void run(Session session, Reply<T> reply);
}
