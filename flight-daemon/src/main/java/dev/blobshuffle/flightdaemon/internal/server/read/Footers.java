package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.flightdaemon.internal.blob.BlobFooter;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.function.Consumer;

/**
 * Reads the footers of blobs. It reads several footers of copies in parallel, because each takes
 * two requests to a store. Thread-safe.
 */
public final class Footers {
    /** Threads that help the caller. */
    private static final int HELPERS = 7;

    private final Executor helpers;

    public Footers(Executor helpers) {
        this.helpers = helpers;
    }

    /**
     * Reads the footers and returns when all have been taken, or throws the first failure.
     *
     * @param taken takes the footers, in any order and concurrently
     */
    void read(List<StoredBlob> blobs, Consumer<BlobFooter> taken) {
        Queue<StoredBlob> distant = new ConcurrentLinkedQueue<>();
        for (StoredBlob blob : blobs) {
            if (blob.isCopy() && blob.heldFooter().isEmpty()) {
                distant.add(blob);
            } else {
                taken.accept(blob.footer());
            }
        }
        Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
        Phaser reading = new Phaser(1);
        for (int i = 1; i < Math.min(HELPERS + 1, distant.size()); i++) {
            helpers.execute(() -> help(reading, distant, taken, failed));
        }
        readAll(distant, taken, failed);
        // Helpers that have not started find the phaser terminated, or no work left.
        int ignored = reading.awaitAdvance(reading.arriveAndDeregister());
        Throwable first = failed.poll();
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
    }

    private static void help(
            Phaser reading, Queue<StoredBlob> distant, Consumer<BlobFooter> taken, Queue<Throwable> failed) {
        if (reading.register() < 0) {
            return;
        }
        try {
            readAll(distant, taken, failed);
        } finally {
            int ignored = reading.arriveAndDeregister();
        }
    }

    private static void readAll(Queue<StoredBlob> distant, Consumer<BlobFooter> taken, Queue<Throwable> failed) {
        for (StoredBlob blob = distant.poll(); blob != null; blob = distant.poll()) {
            try {
                taken.accept(blob.footer());
            } catch (RuntimeException | Error e) {
                failed.add(e);
                distant.clear();
            }
        }
    }
}
