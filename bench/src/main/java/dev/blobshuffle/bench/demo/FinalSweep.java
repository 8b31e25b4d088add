package dev.blobshuffle.bench.demo;

import dev.blobshuffle.cli.gc.GcCommand;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/**
 * What an operator would do at the end: {@code blobshuffle gc}, after the logs have let everything
 * go that was read. Stateless.
 */
public final class FinalSweep {
    private FinalSweep() {}

    /**
     * Deletes the blobs to which no notification leads any more. No instance may run.
     *
     * @throws DemoFailed if it cannot be told what is needed
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
            throw new DemoFailed("Cannot delete the blobs of the demo: "
                    + errors.toString().strip() + " Or give the demo a store of its own: another prefix in --store.");
        }
    }

    /** The newest blob in a store, if it has one. */
    static Optional<BlobId> newest(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.open(store, time)) {
            return opened.generations().toCompletableFuture().join().stream()
                    .filter(generation -> generation > 0)
                    .max(Comparator.naturalOrder())
                    .flatMap(generation -> opened.list(generation).toCompletableFuture().join().stream()
                            .map(StoredBlob::id)
                            .max(Comparator.comparing(BlobId::sequence)));
        }
    }

    /** Deletes everything in a store that is the demo's own. No instance may run. */
    static void deleteAll(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.openUnchecked(
                        store, StoreContext.unmetered(time).existing())) {
            for (long generation : opened.generations().toCompletableFuture().join()) {
                List<BlobId> blobs = opened.list(generation).toCompletableFuture().join().stream()
                        .map(StoredBlob::id)
                        .toList();
                opened.delete(blobs).toCompletableFuture().join();
            }
        }
    }

    /**
     * The blobs in a store. Generation 0 holds none, but what says by which cluster the store is
     * swept.
     */
    public static long count(String store) {
        try (SystemTime time = new SystemTime();
                BlobStore opened = BlobStores.open(store, time)) {
            long count = 0;
            for (int owner : opened.owners().toCompletableFuture().join()) {
                count += opened.generations(owner).toCompletableFuture().join().stream()
                        .filter(generation -> generation > 0)
                        .mapToLong(generation -> opened.list(owner, generation)
                                .toCompletableFuture()
                                .join()
                                .size())
                        .sum();
            }
            return count;
        }
    }
}
