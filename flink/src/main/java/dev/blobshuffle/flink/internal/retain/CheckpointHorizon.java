package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * Which blobs the completed checkpoints of one shuffle need: those from the lowest generation on
 * that one of the retained checkpoints needs.
 *
 * <p>A running job needs no older ones either. What a Debatcher received since a checkpoint was
 * sealed after that checkpoint was triggered. The reserve covers clocks that differ.
 *
 * <p>The notice of a completed checkpoint may be lost, and so may a report. Such a checkpoint is
 * left out. That is safe, because the need only rises: an older checkpoint stands in for it.
 * Thread-safe.
 */
final class CheckpointHorizon implements Horizon {
    /** Generations that are kept beyond the need. */
    private static final long RESERVE = RetentionSettings.LEAST_GRACE.toMinutes();

    /** Checkpoints without a verdict; older ones are forgotten. */
    private static final int MOST_OPEN = 1000;

    private final IntSupplier parallelism;
    private final IntSupplier retained;
    private final NavigableMap<Long, Map<Integer, Long>> open = new TreeMap<>();

    /** Needs of the last completed checkpoints, in their order. */
    private final Deque<Long> completed = new ArrayDeque<>();

    private boolean hasAll;

    /**
     * A horizon that allows nothing yet.
     *
     * @param parallelism subtasks that report for each checkpoint
     * @param retained how many checkpoints Flink retains
     */
    CheckpointHorizon(IntSupplier parallelism, IntSupplier retained) {
        this.parallelism = parallelism;
        this.retained = retained;
    }

    /** A subtask has reported. */
    synchronized void needs(int subtask, CheckpointNeed need) {
        open.computeIfAbsent(need.checkpoint(), absent -> new HashMap<>()).put(subtask, need.generation());
        if (open.size() > MOST_OPEN) {
            open.pollFirstEntry();
        }
    }

    /** A checkpoint is complete. Savepoints have no reports. */
    synchronized void completed(long checkpoint) {
        Map<Integer, Long> needs = open.getOrDefault(checkpoint, Map.of());
        open.headMap(checkpoint, true).clear();
        if (needs.size() != parallelism.getAsInt()) {
            return;
        }
        completed.addLast(Collections.min(needs.values()));
        int most = Math.max(1, retained.getAsInt());
        hasAll = completed.size() >= most;
        while (completed.size() > most) {
            completed.removeFirst();
        }
    }

    /** A checkpoint was given up. */
    synchronized void aborted(long checkpoint) {
        open.remove(checkpoint);
    }

    /** The job begins again from a checkpoint; reports of this attempt are void. */
    synchronized void reset() {
        open.clear();
    }

    @Override
    public synchronized Optional<Limit> at(Instant now) {
        return hasAll ? Optional.of(Limit.below(Math.max(0, Collections.min(completed) - RESERVE))) : Optional.empty();
    }
}
