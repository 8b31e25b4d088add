package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Waits until blobs of other zones are in the store. One request to the driver asks for all that
 * are awaited. If a wait or a read was in vain, the store probably does not work, so for a minute
 * readers do not wait for it. Thread-safe.
 */
final class UploadWatch {
    /** The blobs of one task are asked for together. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(20);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final Duration GIVEN_UP = Duration.ofMinutes(1);

    private final DirectoryClient directory;
    private final Duration most;
    private final Executor asking;
    private final Time time;

    /** Guarded by this. */
    private final Map<BlobId, Awaited> awaited = new LinkedHashMap<>();

    /** When waits begin again. Guarded by this. */
    private long patientFrom;

    /**
     * A blob that readers want.
     *
     * @param isWait whether the store gets time to take it; otherwise only the driver is asked
     */
    private record Awaited(long until, boolean isWait, CompletableFuture<Whereabouts> answer) {}

    /**
     * A watch of an executor.
     *
     * @param most the longest wait for a blob
     * @param asking runs requests to the driver, which block
     */
    UploadWatch(DirectoryClient directory, Duration most, Executor asking, Time time) {
        this.directory = directory;
        this.most = most;
        this.asking = asking;
        this.time = time;
        patientFrom = time.nanos();
    }

    /**
     * Where a blob is once the store has it, or once its writer is gone, or after the longest wait.
     * Fails if the driver does not answer.
     */
    synchronized CompletableFuture<Whereabouts> uploaded(BlobId blob) {
        Awaited known = awaited.get(blob);
        if (known != null) {
            return known.answer;
        }
        if (awaited.isEmpty()) {
            lookAfter(FIRST_LOOK);
        }
        boolean isWait = isPatient() && !most.isZero();
        long now = time.nanos();
        Awaited added = new Awaited(isWait ? now + most.toNanos() : now, isWait, new CompletableFuture<>());
        awaited.put(blob, added);
        return added.answer;
    }

    /** Whether readers wait for the store. */
    synchronized boolean isPatient() {
        return time.nanos() - patientFrom >= 0;
    }

    /** A wait for the store was in vain. */
    synchronized void inVain() {
        patientFrom = time.nanos() + GIVEN_UP.toNanos();
    }

    private void lookAfter(Duration pause) {
        Time.Cancellable ignored = time.schedule(pause, this::startLook);
    }

    /** On the timer's thread. */
    private void startLook() {
        try {
            asking.execute(this::look);
        } catch (ClosedException e) {
            fail(e);
        }
    }

    private void look() {
        List<BlobId> blobs;
        synchronized (this) {
            blobs = new ArrayList<>(awaited.keySet());
        }
        Map<CompletableFuture<Whereabouts>, Whereabouts> answers = new LinkedHashMap<>();
        try {
            List<Whereabouts> now = directory.refresh(blobs);
            synchronized (this) {
                for (int i = 0; i < blobs.size(); i++) {
                    take(blobs.get(i), now.get(i), answers);
                }
                if (!awaited.isEmpty()) {
                    lookAfter(LOOK_AGAIN);
                }
            }
        } catch (RuntimeException e) {
            fail(e);
        }
        answers.forEach(CompletableFuture::complete);
    }

    private void fail(RuntimeException cause) {
        List<Awaited> failed;
        synchronized (this) {
            failed = List.copyOf(awaited.values());
            awaited.clear();
        }
        failed.forEach(each -> each.answer.completeExceptionally(cause));
    }

    private void take(BlobId blob, Whereabouts now, Map<CompletableFuture<Whereabouts>, Whereabouts> answers) {
        Awaited waiting = awaited.get(blob);
        if (waiting == null) {
            return;
        }
        boolean isSettled = now.length().isPresent() || now.writer().isEmpty();
        boolean isOver = time.nanos() - waiting.until >= 0;
        if (isSettled || isOver) {
            awaited.remove(blob);
            answers.put(waiting.answer, now);
        }
        if (!isSettled && isOver && waiting.isWait) {
            inVain();
        }
    }
}
