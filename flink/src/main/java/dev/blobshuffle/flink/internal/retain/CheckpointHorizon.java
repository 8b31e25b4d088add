package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;

/**
 * Which blobs the completed checkpoints of one shuffle need: those from the lowest generation on
 * that one of the retained checkpoints needs.
 *
 * <p>A running job needs no older ones either. What a Debatcher received since a checkpoint was
 * sealed after that checkpoint was triggered, or is among the needs of a Batcher. The reserve
 * covers clocks that differ.
 *
 * <p>The notice of a completed checkpoint may be lost, and so may a report. Such a checkpoint is
 * left out. That is safe, because the need only rises: an older checkpoint stands in for it.
 * Thread-safe.
 */
public final class CheckpointHorizon implements Horizon {
    /** Generations that are kept beyond the need. */
    private static final long RESERVE = RetentionSettings.LEAST_GRACE.toMinutes();

    /** The need of a checkpoint for which all subtasks have ended. */
    private static final long NOTHING = Long.MAX_VALUE;

    /** Checkpoints without a verdict; older ones are forgotten. */
    private static final int MOST_OPEN = 1000;

    private final IntSupplier retained;
    private final long reserve;
    private final Map<OperatorID, IntSupplier> reporters = new HashMap<>();
    private final NavigableMap<Long, Map<Subtask, Long>> open = new TreeMap<>();

    /** Needs of the last completed checkpoints, in their order. */
    private final Deque<Long> completed = new ArrayDeque<>();

    private boolean hasAll;

    /**
     * A subtask that reports.
     *
     * @param number from 0
     */
    public record Subtask(OperatorID operator, int number) {}

    /** Coordinators with the same key share the horizon. */
    private record Key(String shuffle) {}

    /**
     * A horizon that allows nothing yet.
     *
     * @param retained how many checkpoints Flink retains
     */
    CheckpointHorizon(IntSupplier retained) {
        this(retained, RESERVE);
    }

    /**
     * The same with another reserve.
     *
     * @param reserve generations that are kept beyond the need, as many as clocks may differ
     */
    public CheckpointHorizon(IntSupplier retained, long reserve) {
        this.retained = retained;
        this.reserve = reserve;
    }

    /** The horizon of a shuffle, the same for the coordinators of both operators. */
    static CheckpointHorizon of(String shuffle, OperatorCoordinator.Context context) {
        return (CheckpointHorizon) context.getCoordinatorStore()
                .compute(
                        new Key(shuffle),
                        (key, present) -> present != null ? present : new CheckpointHorizon(() -> retained(context)));
    }

    private static int retained(OperatorCoordinator.Context context) {
        CheckpointCoordinator checkpoints = context.getCheckpointCoordinator();
        return checkpoints == null
                ? Integer.MAX_VALUE
                : checkpoints.getCheckpointStore().getMaxNumberOfRetainedCheckpoints();
    }

    /** So many subtasks of an operator report for each checkpoint. */
    public synchronized void expect(OperatorID operator, IntSupplier subtasks) {
        reporters.put(operator, subtasks);
    }

    /** A subtask has reported. */
    public synchronized void needs(OperatorID operator, int subtask, CheckpointNeed need) {
        open.computeIfAbsent(need.checkpoint(), absent -> new HashMap<>())
                .put(new Subtask(operator, subtask), need.generation());
        if (open.size() > MOST_OPEN) {
            open.pollFirstEntry();
        }
    }

    /**
     * A checkpoint is complete. Savepoints have no reports.
     *
     * @param hasEnded whether a subtask had ended when the checkpoint began; it needs nothing, and
     *     reports no more. Asked only for those without a report
     */
    public synchronized void completed(long checkpoint, Predicate<Subtask> hasEnded) {
        Map<Subtask, Long> needs = open.getOrDefault(checkpoint, Map.of());
        open.headMap(checkpoint, true).clear();
        if (!expected().allMatch(subtask -> needs.containsKey(subtask) || hasEnded.test(subtask))) {
            return;
        }
        completed.addLast(needs.values().stream().min(Comparator.naturalOrder()).orElse(NOTHING));
        int most = Math.max(1, retained.getAsInt());
        hasAll = completed.size() >= most;
        while (completed.size() > most) {
            completed.removeFirst();
        }
    }

    private Stream<Subtask> expected() {
        return reporters.entrySet().stream()
                .flatMap(each -> IntStream.range(0, each.getValue().getAsInt())
                        .mapToObj(number -> new Subtask(each.getKey(), number)));
    }

    /** A checkpoint was given up. */
    public synchronized void aborted(long checkpoint) {
        open.remove(checkpoint);
    }

    /** The job begins again from a checkpoint; reports of this attempt are void. */
    public synchronized void reset() {
        open.clear();
    }

    @Override
    public synchronized Optional<Limit> at(Instant now) {
        return hasAll ? Optional.of(Limit.below(Math.max(0, Collections.min(completed) - reserve))) : Optional.empty();
    }
}
