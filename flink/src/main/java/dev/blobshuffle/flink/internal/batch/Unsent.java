package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * References of records that a Batcher took before a barrier and has not emitted. They come one
 * after the other, as blobs are stored. A batch is sealed at the barrier, so each reference is
 * before or behind it as a whole. The first references of each group make up its count, because a
 * group keeps its order. Guarded by the channel.
 */
final class Unsent {
    private final long[] missing;
    private long left;
    private final Map<Integer, List<Reference>> references = new TreeMap<>();
    private final CompletableFuture<List<PendingGroup>> all = new CompletableFuture<>();

    /**
     * Expects the references of records.
     *
     * @param records how many of each group; owned by this
     */
    Unsent(long[] records) {
        missing = records;
        left = Arrays.stream(records).sum();
        completeIfAll();
    }

    /** A reference has come. */
    void add(Reference reference, int records) {
        int group = reference.group();
        if (missing[group] > 0 && missing[group] < records) {
            fail(new IllegalStateException("Cannot take " + reference + " into a checkpoint: " + missing[group]
                    + " of its " + records + " records are before the barrier. The batch was not sealed there."));
        } else if (missing[group] > 0) {
            missing[group] -= records;
            left -= records;
            references.computeIfAbsent(group, absent -> new ArrayList<>()).add(reference);
            completeIfAll();
        }
    }

    private void completeIfAll() {
        if (left == 0) {
            List<PendingGroup> groups = new ArrayList<>();
            references.forEach((group, ordered) -> groups.add(new PendingGroup(group, 0, ordered)));
            all.complete(groups);
        }
    }

    boolean isComplete() {
        return all.isDone();
    }

    /** The references will not come. */
    void fail(Throwable cause) {
        all.completeExceptionally(cause);
    }

    /** Completes when all have come, on the thread that brings the last one. */
    CompletableFuture<List<PendingGroup>> all() {
        return all;
    }

    /** The oldest generation of the blobs, or the given one if it is older. */
    static long oldestGeneration(List<PendingGroup> groups, long newest) {
        return groups.stream()
                .flatMap(group -> group.references().stream())
                .filter(reference -> !reference.isRecord())
                .mapToLong(reference ->
                        NotificationCodec.decode(reference.bytes()).blob().generation())
                .reduce(newest, Math::min);
    }
}
