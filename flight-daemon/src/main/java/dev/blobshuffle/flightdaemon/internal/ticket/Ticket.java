package dev.blobshuffle.flightdaemon.internal.ticket;

import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;

/**
 * A permission to read partitions of a shuffle until a deadline.
 *
 * @param namespace of the shuffle
 * @param shuffle its name
 * @param partitions to read
 * @param maps to read
 * @param startFrame number of frames to skip, to resume after a failure
 * @param expiryMillis deadline, milliseconds since the epoch
 */
public record Ticket(
        String namespace, String shuffle, PartitionRange partitions, MapSet maps, long startFrame, long expiryMillis) {
    /** Checks the start frame. */
    public Ticket {
        if (startFrame < 0) {
            throw new IllegalArgumentException("Cannot start at frame " + startFrame + ": frames count from 0.");
        }
    }
}
