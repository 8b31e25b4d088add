package dev.blobshuffle.bench.messaging;

/**
 * The work of a database.
 *
 * @param walBytes bytes of write-ahead log
 * @param transactions that ended, each statement outside a transaction counted as one
 * @param batches in the log
 */
record DatabaseWork(long walBytes, long transactions, long batches) {
    DatabaseWork since(DatabaseWork earlier) {
        return new DatabaseWork(
                walBytes - earlier.walBytes, transactions - earlier.transactions, batches - earlier.batches);
    }
}
