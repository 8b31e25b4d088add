package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.Footer;
import dev.blobshuffle.core.format.FooterCodec;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.MeasurableStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/**
 * The blobs that lie in a store, the oldest generations first, with the topics whose records each holds, as its footer says. Owned by one thread.
 *
 * @param topics the topics of each blob
 * @param unreadable blobs whose footer cannot be read
 * @param isComplete whether these are all
 */
record StoredBlobs(Map<BlobId, Set<String>> topics, List<BlobId> unreadable, boolean isComplete) {
    private static final int AT_ONCE = 64;
    private static final int TAIL = 64 << 10;

    /**
     * Lists a store. Two or three requests per blob.
     *
     * @param most the most blobs to list
     */
    static StoredBlobs of(MeasurableStore store, int most) {
        List<BlobId> ids = new ArrayList<>();
        List<Long> generations = store.generations().toCompletableFuture().join().stream()
                .sorted()
                .toList();
        for (long generation : generations) {
            if (ids.size() >= most) {
                break;
            }
            ids.addAll(store.list(generation).toCompletableFuture().join());
        }
        boolean isComplete =
                ids.size() <= most && (generations.isEmpty() || ids.isEmpty() || lastIsListed(generations, ids));
        List<BlobId> some = ids.size() > most ? ids.subList(0, most) : ids;
        Map<BlobId, Set<String>> topics = new LinkedHashMap<>();
        List<BlobId> unreadable = new ArrayList<>();
        Map<Set<String>, Set<String>> shared = new HashMap<>();
        for (int from = 0; from < some.size(); from += AT_ONCE) {
            List<BlobId> next = some.subList(from, Math.min(some.size(), from + AT_ONCE));
            List<CompletableFuture<Footer>> footers =
                    next.stream().map(id -> footer(store, id)).toList();
            for (int i = 0; i < next.size(); i++) {
                add(next.get(i), footers.get(i), topics, unreadable, shared);
            }
        }
        return new StoredBlobs(topics, unreadable, isComplete);
    }

    private static boolean lastIsListed(List<Long> generations, List<BlobId> ids) {
        long last = generations.get(generations.size() - 1);
        return ids.get(ids.size() - 1).generation() == last;
    }

    private static void add(
            BlobId id,
            CompletableFuture<Footer> footer,
            Map<BlobId, Set<String>> topics,
            List<BlobId> unreadable,
            Map<Set<String>, Set<String>> shared) {
        try {
            Set<String> names = footer.join().segments().stream()
                    .map(segment -> segment.partition().topic())
                    .collect(Collectors.toUnmodifiableSet());
            topics.put(id, shared.computeIfAbsent(names, same -> same));
        } catch (CompletionException e) {
            if (e.getCause() instanceof BlobCorrupt) {
                unreadable.add(id);
            } else if (!(e.getCause() instanceof BlobMissing)) { // Somebody else sweeps too.
                throw e;
            }
        }
    }

    private static CompletableFuture<Footer> footer(MeasurableStore store, BlobId id) {
        return store.length(id)
                .thenCompose(length -> tail(store, id, length, Math.min(length, TAIL))
                        .thenCompose(tail -> {
                            int needed = FooterCodec.tailLength(tail);
                            return needed <= tail.remaining()
                                    ? CompletableFuture.completedFuture(tail)
                                    : tail(store, id, length, Math.min(length, needed));
                        })
                        .thenApply(tail -> FooterCodec.decode(tail, length)))
                .toCompletableFuture();
    }

    private static CompletableFuture<ByteBuffer> tail(MeasurableStore store, BlobId id, long length, long bytes) {
        return store.get(id, BlobRange.of(length - bytes, bytes))
                .thenApply(StoredBlobs::copy)
                .toCompletableFuture();
    }

    private static ByteBuffer copy(BlobBytes read) {
        try (read) {
            byte[] bytes = new byte[read.buffer().remaining()];
            read.buffer().duplicate().get(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }
}
