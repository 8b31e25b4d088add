package dev.blobshuffle.messaging;

/**
 * Where a group begins to read a partition in which it has no position, or whose position is gone.
 */
public enum ResetPolicy {
    /** At the first record that retention has left. */
    EARLIEST,
    /** After the last record. */
    LATEST,
    /** Nowhere: the poll fails with {@code PositionTrimmed} until the application seeks. */
    ERROR
}
