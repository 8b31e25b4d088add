package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.internal.store.SharedContent;
import dev.blobshuffle.core.internal.write.deliver.DeliveryQueue;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.log.Slice;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The upload of one blob. A worker encodes the blob, the store stores it, and the upload reports
 * the outcome to each segment's delivery queue. It holds the memory of its segments until it has
 * ended and the last reader has released the memory. A reader is an attempt of the store, or a
 * segment sent as plain records.
 *
 * <pre>
 *   OPEN ──durable──────────────────────────────▶ ENDED    segments STORED
 *     ├──readable──▶ EARLY                                   segments STORED, not durable
 *     │                ├── durable ─────────────▶ ENDED
 *     │                ├── failed, fallback: put again until out of time
 *     │                └── failed, out of time ─▶ ENDED    lanes fail
 *     ├──failed or out of time, no fallback─────▶ ENDED    lanes fail
 *     └──failed or out of time, fallback──▶ FALLING_BACK   small segments PLAIN
 *                                                 ├── no segment waits ───────▶ ENDED
 *                                                 └── put again until durable ──▶ ENDED    (segments with records too large for the channel)
 * </pre>
 *
 * <p>Thread-safe: the monitor guards the phase, and is not held during calls of the store or the
 * channel.
 */
final class Upload {
    private enum Phase {
        OPEN,
        EARLY,
        FALLING_BACK,
        ENDED
    }

    private final Uploads uploads;
    private final List<Segment> segments;
    private final List<Slice> memory = new ArrayList<>();
    private final long rawBytes;
    /** One reference for the upload, one for the encoding, and one for each reader. */
    private final References references = new References(2, this::blob, this::recycle);

    private final AtomicBoolean isEncoding = new AtomicBoolean();
    private @Nullable volatile BlobLayout layout;
    /** Set once, when the owner of the blob is known. Written under the monitor. */
    private @Nullable volatile BlobId id;

    /** Guarded by this, like the fields below. */
    private Phase phase = Phase.OPEN;

    private boolean isPutting = true;
    private boolean hasFailed;
    private Time.@Nullable Cancellable timer;
    private Time.@Nullable Cancellable retry;
    /**
     * Set if the deadline passes before the records are encoded. They are sent as plain records
     * after the encoding, because a worker owns them until then.
     */
    private @Nullable DeadlineExceededException late;

    /** The reason why the blob has no id yet. */
    private @Nullable StoreUnavailableException reason;

    /**
     * @param segments in the order of the blob
     */
    Upload(Uploads uploads, List<Segment> segments) {
        this.uploads = uploads;
        this.segments = segments;
        long bytes = 0;
        for (Segment segment : segments) {
            memory.addAll(segment.slices());
            bytes += segment.bytes();
        }
        rawBytes = bytes;
    }

    /** Sets the blob's id. Called before it is encoded. */
    synchronized void name(BlobId name) {
        id = name;
    }

    /** The blob, for messages. */
    private String blob() {
        BlobId known = id;
        return known == null ? "a blob" : "blob " + known;
    }

    private BlobId id() {
        BlobId known = id;
        if (known == null) {
            throw new IllegalStateException("Cannot encode a blob: it has no name yet.");
        }
        return known;
    }

    /**
     * Records that the instance cannot store blobs now.
     *
     * @return whether the upload keeps waiting
     */
    synchronized boolean waits(StoreUnavailableException cause) {
        reason = cause;
        return phase == Phase.OPEN;
    }

    /** Starts the deadline. */
    synchronized void arm(Time time, Duration timeout) {
        if (phase == Phase.OPEN) {
            timer = time.schedule(timeout, this::timeOut);
        }
    }

    /** Encodes the segments and puts the blob. Called once, by a worker. */
    void encode() {
        if (!isEncoding.compareAndSet(false, true)) {
            return;
        }
        try {
            if (isWanted()) {
                putOrFallBack(layOut());
            } else {
                end();
            }
        } catch (RuntimeException | Error e) {
            putFailed(e);
            if (e instanceof Error error && !(error instanceof OutOfMemoryError)) {
                throw error;
            }
        } finally {
            references.release();
        }
    }

    /** Fails the upload, which no worker encodes. */
    void refused(Throwable cause) {
        if (isEncoding.compareAndSet(false, true)) {
            try {
                putFailed(cause);
            } finally {
                references.release();
            }
        }
    }

    private void putOrFallBack(BlobLayout laidOut) {
        DeadlineExceededException tooLate;
        synchronized (this) {
            layout = laidOut;
            tooLate = late;
            if (tooLate != null) {
                isPutting = false;
            }
        }
        if (tooLate == null) {
            put();
        } else {
            fallBack(tooLate);
        }
    }

    private boolean isWanted() {
        for (Segment segment : segments) {
            if (segment.queue().isWaiting(segment)) {
                return true;
            }
        }
        return false;
    }

    private BlobLayout layOut() {
        FrameEncoder encoder = uploads.takeEncoder();
        try {
            encoder.begin(id());
            List<SegmentSource> sources = new ArrayList<>(segments.size());
            for (Segment segment : segments) {
                sources.add(segment.encode(encoder));
            }
            BlobLayout laidOut = uploads.layOut(id(), sources);
            uploads.observeRatio(rawBytes, laidOut.length());
            return laidOut;
        } finally {
            uploads.returnEncoder(encoder);
        }
    }

    private void put() {
        BlobLayout laidOut = layout();
        BlobContent content =
                new SharedContent(BlobContent.of(laidOut.buffers(), () -> {}), laidOut.sections(), references);
        var ignored = uploads.sink().put(id(), laidOut, content, this::readable).whenComplete((placement, failure) -> {
            try {
                putEnded(placement, failure);
            } catch (RuntimeException | Error e) {
                putFailed(e); // An exception thrown here would be lost in the stage.
            }
        });
    }

    /** Readers find the blob, which is not durable yet. The upload keeps its memory. */
    private void readable(Placement placement) {
        synchronized (this) {
            if (phase != Phase.OPEN || hasFailed) {
                return;
            }
            phase = Phase.EARLY;
        }
        Set<DeliveryQueue> queues = new LinkedHashSet<>();
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (segment.queue().readable(segment, placement.notifications().get(i))) {
                queues.add(segment.queue());
            }
        }
        uploads.early();
        uploads.readable(layout().length(), segments.get(0).sealedNanos());
        queues.forEach(DeliveryQueue::emitSoon);
    }

    private void putEnded(@Nullable Placement placement, @Nullable Throwable failure) {
        if (placement != null) {
            stored(placement);
        } else {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
            putFailed(cause == null ? Objects.requireNonNull(failure) : cause);
        }
    }

    private void stored(Placement placement) {
        boolean needed = false;
        Set<DeliveryQueue> queues = new LinkedHashSet<>();
        if (!isEarly()) {
            uploads.readable(layout().length(), segments.get(0).sealedNanos());
        }
        if (!isEnded()) {
            for (int i = 0; i < segments.size(); i++) {
                Segment segment = segments.get(i);
                if (segment.queue().stored(segment, placement.notifications().get(i))) {
                    needed = true;
                    queues.add(segment.queue());
                }
            }
        }
        uploads.stored(layout(), placement.id(), needed);
        end();
        queues.forEach(DeliveryQueue::emitSoon);
    }

    private void putFailed(Throwable cause) {
        synchronized (this) {
            isPutting = false;
            if (phase == Phase.ENDED) {
                return;
            }
        }
        if (cause instanceof StoreUnavailableException && uploads.fallback() != null) {
            uploads.failed();
            fallBack(cause);
        } else {
            failForGood(cause);
        }
    }

    /** Called by the put and by the deadline; the first call counts. */
    private void failForGood(Throwable cause) {
        synchronized (this) {
            if (phase == Phase.ENDED || hasFailed) {
                return;
            }
            hasFailed = true;
        }
        uploads.failed();
        failLanes(cause);
        end();
    }

    private void timeOut() {
        if (isEnded()) {
            return;
        }
        DeadlineExceededException cause =
                new DeadlineExceededException("Cannot store " + blob() + " in time: delivery.timeout.ms has passed. "
                        + "Check the store at " + uploads.store().location() + ", or allow more time."
                        + (reason == null ? "" : " " + reason.getMessage()));
        if (uploads.fallback() == null) {
            failForGood(cause);
            return;
        }
        boolean isUnnamed;
        synchronized (this) {
            isUnnamed = id == null && isEncoding.compareAndSet(false, true);
            if (layout == null && !isUnnamed) {
                late = cause;
                return;
            }
        }
        fallBack(cause);
        if (isUnnamed) { // The blob will not be encoded.
            references.release();
        }
    }

    /**
     * Sends the segments that the channel accepts as plain records, and retries storing the rest.
     * Readers may know an early blob, so it is only stored again, until it is too late.
     */
    private void fallBack(Throwable cause) {
        boolean isEarly;
        synchronized (this) {
            if (phase == Phase.ENDED) {
                return;
            }
            isEarly = phase == Phase.EARLY;
            if (!isEarly) {
                phase = Phase.FALLING_BACK;
                references.retain(); // The put may end now, on another thread.
            }
        }
        if (isEarly) {
            if (cause instanceof DeadlineExceededException) {
                failForGood(cause);
            } else {
                putAgainLater();
            }
            return;
        }
        try {
            sendPlain(cause);
        } finally {
            references.release();
        }
    }

    private void sendPlain(Throwable cause) {
        Fallback fallback = uploads.startFallback(cause);
        boolean rest = false;
        for (Segment segment : segments) {
            if (fallback.takes(segment)) {
                references.retain();
                if (segment.queue().plain(segment, references)) {
                    fallback.send(segment);
                } else {
                    references.release();
                }
            } else {
                rest |= segment.queue().isWaiting(segment);
            }
        }
        if (!rest) {
            end();
        } else if (layout == null) {
            failForGood(cause);
        } else {
            putAgainLater();
        }
    }

    private synchronized void putAgainLater() {
        if (phase != Phase.ENDED && !isPutting) {
            isPutting = true;
            retry = uploads.retryLater(this::putAgain);
        }
    }

    private void putAgain() {
        if (isEnded()) {
            return;
        }
        if (!isWanted()) {
            end();
            return;
        }
        try {
            put();
        } catch (RuntimeException | Error e) {
            putFailed(e);
        }
    }

    private void failLanes(Throwable cause) {
        for (Segment segment : segments) {
            DeliveryQueue queue = segment.queue();
            if (queue.isWaiting(segment)) {
                queue.fail(failure(queue.laneName(), cause));
            }
        }
    }

    private BlobShuffleException failure(String lane, Throwable cause) {
        String what = "Cannot deliver records of lane " + lane + ": " + blob() + " was not stored";
        if (cause instanceof StoreUnavailableException) {
            return new StoreUnavailableException(what + ". Roll back to the last commit, and check the store.", cause);
        }
        if (cause instanceof DeadlineExceededException) {
            return new DeadlineExceededException(
                    what + " in time. Roll back to the last commit, and check the store.", cause);
        }
        if (cause instanceof ClosedException) {
            return new ClosedException(
                    what + ": the store or the Batcher is closed. Close them after the lanes.", cause);
        }
        return new DeliveryFailedException(what + ". Roll back to the last commit.", cause);
    }

    /**
     * Ends the upload when the Batcher closes, in any phase, and releases its memory. Called after
     * its lanes have failed.
     */
    void abandon() {
        if (isEncoding.compareAndSet(false, true)) {
            references.release();
        }
        end();
    }

    private synchronized boolean isEarly() {
        return phase == Phase.EARLY;
    }

    private synchronized boolean isEnded() {
        return phase == Phase.ENDED;
    }

    private void end() {
        synchronized (this) {
            if (phase == Phase.ENDED) {
                return;
            }
            phase = Phase.ENDED;
            if (timer != null) {
                timer.cancel();
            }
            if (retry != null) {
                retry.cancel();
            }
        }
        uploads.ended(this);
        references.release();
    }

    private BlobLayout layout() {
        BlobLayout laidOut = layout;
        if (laidOut == null) {
            throw new IllegalStateException("Cannot read " + blob() + ": it is not laid out yet.");
        }
        return laidOut;
    }

    private void recycle() {
        for (Slice slice : memory) {
            slice.chunk().release();
        }
    }
}
