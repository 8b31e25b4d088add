package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointHorizon.Subtask;
import dev.blobshuffle.flink.internal.simulation.Edge.Barrier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;

/** A checkpoint or savepoint: being taken, and then complete. Guarded by the simulation's baton. */
final class TakenCheckpoint {
    /** Its barrier. */
    final Barrier barrier;

    /** The subtasks of the Batcher. */
    final int senders;

    /** The subtasks of the Debatcher. */
    final int receivers;

    /** The subtask of each split. */
    final Map<Integer, Integer> owners;

    /** Positions at which later records may overtake earlier ones, by split. */
    final Map<Integer, List<Integer>> cuts;

    /** The next record of each split. */
    final Map<Integer, Integer> positions = new TreeMap<>();

    /** What each Batcher had not sent. */
    final Map<Integer, List<PendingGroup>> unsent = new TreeMap<>();

    /** What the Debatchers had not handed out. */
    final List<PendingGroup> pending = new ArrayList<>();

    /** What each subtask behind the shuffle has of its key groups. */
    final Map<Integer, KeyedResults.Group> results = new TreeMap<>();

    /** The elements on the way from one subtask to another. */
    final Map<Integer, Map<Integer, List<Object>>> overtaken = new TreeMap<>();

    private final Set<String> missing = new HashSet<>();
    private final Set<Subtask> ended = new HashSet<>();
    private boolean hasReceiver;
    private boolean isDeclined;
    private boolean hasTimedOut;

    TakenCheckpoint(
            Barrier barrier,
            int senders,
            int receivers,
            Map<Integer, Integer> owners,
            Map<Integer, List<Integer>> cuts) {
        this.barrier = barrier;
        this.senders = senders;
        this.receivers = receivers;
        this.owners = owners;
        this.cuts = cuts;
        for (int sender = 0; sender < senders; sender++) {
            missing.add("sender " + sender);
        }
        for (int receiver = 0; receiver < receivers; receiver++) {
            missing.add("receiver " + receiver);
        }
    }

    /** The state of a job that has not begun. */
    static TakenCheckpoint none(int splits) {
        TakenCheckpoint none = new TakenCheckpoint(
                new Barrier(0, 0, CheckpointOptions.forCheckpointWithDefaultLocation()), 0, 0, Map.of(), Map.of());
        for (int split = 0; split < splits; split++) {
            none.positions.put(split, 0);
        }
        return none;
    }

    long id() {
        return barrier.checkpoint();
    }

    boolean isSavepoint() {
        return barrier.options().getCheckpointType().isSavepoint();
    }

    /** It began aligned, and becomes unaligned where its barriers have not arrived. */
    void timeOut() {
        hasTimedOut = true;
    }

    /** Whether its barriers may have overtaken references. */
    boolean isUnaligned() {
        return hasTimedOut || barrier.options().isUnalignedCheckpoint();
    }

    /** A sender had ended before. */
    void hasEnded(int sender, Map<Integer, Integer> last) {
        positions.putAll(last);
        ended.add(new Subtask(Attempt.BATCHER, sender));
        acknowledgedBySender(sender);
    }

    boolean hasEnded(Subtask subtask) {
        return ended.contains(subtask);
    }

    void acknowledgedBySender(int subtask) {
        missing.remove("sender " + subtask);
    }

    void acknowledgedByReceiver(int subtask) {
        hasReceiver = true;
        missing.remove("receiver " + subtask);
    }

    /** Whether a Debatcher has taken its snapshot. */
    boolean hasReceiver() {
        return hasReceiver;
    }

    boolean isComplete() {
        return missing.isEmpty();
    }

    void decline() {
        isDeclined = true;
    }

    boolean isDeclined() {
        return isDeclined;
    }

    /** Whether references were not with a Debatcher: other subtasks may send them. */
    boolean hasReferencesOnTheWay() {
        return !unsent.values().stream().allMatch(List::isEmpty)
                || overtaken().findAny().isPresent();
    }

    private Stream<Reference> overtaken() {
        return overtaken.values().stream()
                .flatMap(each -> each.values().stream())
                .flatMap(List::stream)
                .filter(Reference.class::isInstance)
                .map(Reference.class::cast);
    }

    /** All references that it holds. */
    Stream<Reference> references() {
        Stream<PendingGroup> groups =
                Stream.concat(pending.stream(), unsent.values().stream().flatMap(List::stream));
        return Stream.concat(groups.flatMap(group -> group.references().stream()), overtaken());
    }

    /** The blobs that it needs. */
    List<BlobId> blobs() {
        return references()
                .filter(reference -> !reference.isRecord())
                .map(reference -> NotificationCodec.decode(reference.bytes()).blob())
                .toList();
    }

    /** The oldest generation that it, or the job behind it, may need. */
    long oldestGeneration() {
        long triggered = Math.floorDiv(barrier.timestamp(), BlobId.MILLIS_PER_GENERATION);
        return blobs().stream().mapToLong(BlobId::generation).reduce(triggered, Math::min);
    }
}
