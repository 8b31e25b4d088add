package dev.blobshuffle.testkit.internal.log;

/**
 * A user's table in a {@link MemoryDatabase}, as a transaction sees it: what
 * {@link MemoryTransaction} unwraps to.
 */
@FunctionalInterface
public interface UserTable {
    /** Inserts a row, which is there when the transaction is committed. */
    void insert(String row);
}
