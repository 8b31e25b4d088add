package dev.blobshuffle.bench.demo;

import dev.blobshuffle.cli.gc.GcCommand;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Runs {@code blobshuffle gc}, as an operator would at the end, after the logs have deleted
 * everything that was read. Stateless.
 */
public final class FinalSweep {
    private FinalSweep() {}

    /**
     * Deletes the blobs without a notification. No instance may run.
     *
     * @throws DemoFailedException if the needed blobs cannot be determined
     */
    static void run(String bootstrapServers, String store) {
        StringWriter errors = new StringWriter();
        int status = new CommandLine(new GcCommand())
                .setOut(new PrintWriter(Writer.nullWriter()))
                .setErr(new PrintWriter(errors))
                .execute(
                        "--bootstrap",
                        bootstrapServers,
                        "--store",
                        store,
                        "--execute",
                        "--floor", // Its blobs are seconds old.
                        "0s",
                        "--writers-stopped",
                        "--grace",
                        "0s",
                        "--objection", // The store is the demo's own.
                        "0s",
                        "--confirm",
                        Integer.toString(Integer.MAX_VALUE));
        if (status != 0) {
            throw new DemoFailedException("Cannot delete the blobs of the demo: "
                    + errors.toString().strip() + " Or give the demo a store of its own: another prefix in --store.");
        }
    }

    /** The newest blob in a store, if it has one. */
    static Optional<BlobId> newest(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.open(store, time)) {
            return all(opened).max(Comparator.comparingLong(BlobId::generation).thenComparingLong(BlobId::sequence));
        }
    }

    /** Deletes every blob in a store that is the demo's own. No instance may run. */
    static void deleteAll(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(
                        store, StoreContext.unmetered(time).existing())) {
            opened.delete(all(opened).toList()).toCompletableFuture().join();
        }
    }

    /** The number of blobs in a store. */
    public static long count(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.open(store, time)) {
            return all(opened).count();
        }
    }

    /**
     * All blobs of the store. Generation 0 is left out: it holds no blobs, but the marker of the
     * cluster that sweeps the store.
     */
    private static Stream<BlobId> all(BlobStore store) {
        return store.owners().toCompletableFuture().join().stream()
                .flatMap(owner -> store.generations(owner).toCompletableFuture().join().stream()
                        .filter(generation -> generation > 0)
                        .flatMap(generation -> store.list(owner, generation).toCompletableFuture().join().stream()))
                .map(StoredBlob::id);
    }
}
