package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.TimeUnit;

/**
 * The maximum age of a stored segment when its notification is sent. After it, a sweeper may delete
 * the segment's blob before the notification is visible, because the process was paused. Reads both
 * clocks, because the monotonic clock stops while a machine is suspended. A wall clock that jumps
 * forward fails the lane needlessly, which costs a rollback. Thread-safe.
 *
 * @param nanos the age, from the seal
 */
record SendLimit(Time time, long nanos) {
    /** Whether a segment is too old to be sent. Plain records never are. */
    boolean isPassed(Segment segment) {
        BlobId blob = segment.blob();
        return blob != null
                && (time.nanos() - segment.sealedNanos() > nanos
                        || time.wallMillis() - blob.generation() * BlobId.MILLIS_PER_GENERATION
                                > TimeUnit.NANOSECONDS.toMillis(nanos) + BlobId.MILLIS_PER_GENERATION);
    }

    /** The failure of a lane, one of whose segments is too old. */
    DeadlineExceededException failure(String laneName, Segment segment) {
        return new DeadlineExceededException("Cannot send the notification of " + segment.count() + " records of lane "
                + laneName + " to " + segment.partition() + ": their batch was sealed more than "
                + TimeUnit.NANOSECONDS.toSeconds(nanos)
                + " s ago, so a sweep may delete blob " + segment.blob()
                + ". The process stood still or its clock jumped. Roll back to the last commit.");
    }
}
