package dev.blobshuffle.messaging;

/**
 * The place at which a group begins to read a partition without a position, or whose position is
 * gone.
 */
public enum ResetPolicy {
    /** The first record after retention. */
    EARLIEST,
    /** The end of the partition. */
    LATEST,
    /** None: the poll fails with {@code PositionTrimmedException} until the application seeks. */
    ERROR
}
