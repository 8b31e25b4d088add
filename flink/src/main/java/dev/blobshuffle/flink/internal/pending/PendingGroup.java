package dev.blobshuffle.flink.internal.pending;

import dev.blobshuffle.flink.internal.reference.Reference;
import java.util.List;

/**
 * The state of one key group in a checkpoint: the references whose records were not handed out, in
 * order. Immutable.
 *
 * @param group the key group
 * @param firstRecord index of the first record of the first reference that was not handed out
 * @param references one or more
 */
public record PendingGroup(int group, int firstRecord, List<Reference> references) {
    /** Copies the references. */
    public PendingGroup {
        references = List.copyOf(references);
    }
}
