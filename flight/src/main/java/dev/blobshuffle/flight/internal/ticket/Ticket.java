package dev.blobshuffle.flight.internal.ticket;

import dev.blobshuffle.flight.internal.blob.MapSet;
import dev.blobshuffle.flight.internal.blob.PartitionRange;

/**
 * What a client may read until a time.
 *
 * @param namespace of the shuffle
 * @param shuffle its name
 * @param partitions which
 * @param maps of which maps
 * @param startFrame how many frames of the stream to leave out, to go on after a failure
 * @param expiryMillis until when, milliseconds since the epoch
 */
public record Ticket(
        String namespace, String shuffle, PartitionRange partitions, MapSet maps, long startFrame, long expiryMillis) {
    /** Checks the frame. */
    public Ticket {
        if (startFrame < 0) {
            throw new IllegalArgumentException("Cannot start at frame " + startFrame + ": frames count from 0.");
        }
    }
}
