package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.shuffle.Debatcher.Position;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a simulated world: a log per partition with Kafka's transactions. Readers see what
 * is committed, up to the first entry of an open transaction (the last stable offset); each end of
 * a transaction leaves a marker, which takes an offset. A transaction also commits the positions of
 * inputs and the outputs of readers, atomically. Guarded by the simulation's baton.
 */
final class SimulatedLog {
    private final List<List<Entry>> partitions = new ArrayList<>();
    private final Map<Integer, Long> starts = new HashMap<>();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, Transaction> open = new HashMap<>();
    private final Map<Integer, Integer> inputPositions = new HashMap<>();
    private final Map<Integer, Position> readerPositions = new HashMap<>();
    private final Map<Integer, Assignment> owners = new HashMap<>();
    private final List<Output> outputs = new ArrayList<>();

    SimulatedLog(int partitions) {
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new ArrayList<>());
        }
    }

    /** The state of a transaction. */
    enum State {
        OPEN,
        COMMITTED,
        ABORTED
    }

    /** A transaction, or the committed one of a writer without transactions. */
    static final class Transaction {
        private final Set<Integer> touched = new TreeSet<>();
        private State state;

        Transaction(State state) {
            this.state = state;
        }

        State state() {
            return state;
        }
    }

    /** Something in a log. A marker has neither notification nor plain record. */
    record Entry(
            long offset,
            Transaction transaction,
            @Nullable Notification notification,
            @Nullable Plain plain) {
        boolean isMarker() {
            return notification == null && plain == null;
        }
    }

    /** A plain record. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Plain(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {}

    /**
     * A record that a reader delivered.
     *
     * @param stream identifies a span in which one reader owned the partition without interruption
     */
    record Output(int stream, Input.Row row) {}

    /** A commit or send of a client that has been replaced. */
    static final class Fenced extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Fenced(String who) {
            super(who + " was fenced");
        }
    }

    /** The owner of a partition, and the number of its changes of owner. */
    private record Assignment(String client, int generation) {}

    /** Starts an incarnation of a client: fences the one before and aborts its transaction. */
    int register(String client) {
        Transaction left = open.remove(client);
        if (left != null) {
            end(left, State.ABORTED);
        }
        return epochs.merge(client, 1, Integer::sum);
    }

    boolean isFenced(String client, int epoch) {
        return epochs.getOrDefault(client, 0) != epoch;
    }

    /** The client's open transaction, a new one if there is none. */
    Transaction transaction(String client, int epoch) {
        checkNotFenced(client, epoch);
        return open.computeIfAbsent(client, unknown -> new Transaction(State.OPEN));
    }

    private void checkNotFenced(String client, int epoch) {
        if (isFenced(client, epoch)) {
            throw new Fenced(client);
        }
    }

    /** Appends one entry. */
    void append(int partition, Transaction transaction, @Nullable Notification notification, @Nullable Plain plain) {
        List<Entry> log = partitions.get(partition);
        log.add(new Entry(log.size(), transaction, notification, plain));
        transaction.touched.add(partition);
    }

    /** Aborts the client's transaction, if there is one. */
    void abort(String client, int epoch) {
        checkNotFenced(client, epoch);
        Transaction aborted = open.remove(client);
        if (aborted != null) {
            end(aborted, State.ABORTED);
        }
    }

    /** Commits the client's transaction and the position of its input. */
    void commitInput(String client, int epoch, int lane, int position) {
        checkNotFenced(client, epoch);
        Transaction committed = open.remove(client);
        if (committed != null) {
            end(committed, State.COMMITTED);
        }
        inputPositions.put(lane, position);
    }

    private void end(Transaction transaction, State state) {
        transaction.state = state;
        for (int partition : transaction.touched) {
            append(partition, new Transaction(State.COMMITTED), null, null);
        }
    }

    /**
     * Commits a reader's positions and what it delivered; all or nothing.
     *
     * @param generations for each partition, the generation of its assignment when the reader took
     *     it over
     */
    void commitReader(
            String client,
            int epoch,
            Map<Integer, Position> positions,
            Map<Integer, Integer> generations,
            List<Output> delivered) {
        checkNotFenced(client, epoch);
        for (int partition : positions.keySet()) {
            if (!Integer.valueOf(generation(client, partition)).equals(generations.get(partition))) {
                throw new Fenced(client);
            }
        }
        readerPositions.putAll(positions);
        outputs.addAll(delivered);
    }

    /** Adds an output without a transaction. */
    void deliver(Output output) {
        outputs.add(output);
    }

    /**
     * Entries from an offset on that a reader may see now: no aborted ones, no markers, at most so
     * many; and where it goes on.
     */
    long fetch(int partition, long from, int atMost, List<Entry> into) {
        List<Entry> log = partitions.get(partition);
        long offset = Math.max(from, start(partition));
        int taken = 0;
        while (offset < log.size() && taken < atMost) {
            Entry entry = log.get((int) offset);
            if (entry.transaction.state == State.OPEN) {
                break;
            }
            if (entry.transaction.state == State.COMMITTED && !entry.isMarker()) {
                into.add(entry);
                taken++;
            }
            offset++;
        }
        return offset;
    }

    /** The first offset that a log holds. */
    long start(int partition) {
        return starts.getOrDefault(partition, 0L);
    }

    /** The offset behind the last entry of a log. */
    long end(int partition) {
        return partitions.get(partition).size();
    }

    /** The notification at an offset, committed or not. Empty if there is none any more. */
    Optional<Notification> notification(int partition, long offset) {
        return offset < start(partition)
                ? Optional.empty()
                : Optional.ofNullable(partitions.get(partition).get((int) offset).notification);
    }

    /** Deletes the entries that readers have committed. */
    void purge(int partition) {
        starts.merge(partition, committed(partition).offset(), Math::max);
    }

    /** Makes readers begin at the start of a log again. */
    void reset(int partition) {
        readerPositions.put(partition, new Position(start(partition), 0));
        Assignment owner = owners.get(partition);
        if (owner != null) {
            assign(partition, owner.client);
        }
    }

    /** Whether a notification in a log leads to a blob. */
    boolean leadsTo(BlobId blob) {
        for (int partition = 0; partition < partitions.size(); partition++) {
            for (long offset = start(partition); offset < end(partition); offset++) {
                if (notification(partition, offset)
                        .filter(entry -> entry.blob().equals(blob))
                        .isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The blobs of all notifications that there are. */
    List<BlobId> blobs() {
        List<BlobId> blobs = new ArrayList<>();
        for (int partition = 0; partition < partitions.size(); partition++) {
            for (long offset = start(partition); offset < end(partition); offset++) {
                notification(partition, offset).ifPresent(entry -> blobs.add(entry.blob()));
            }
        }
        return blobs;
    }

    /** Whether readers have committed everything that there is. */
    boolean isConsumed() {
        for (int partition = 0; partition < partitions.size(); partition++) {
            if (committed(partition).offset() < partitions.get(partition).size()) {
                return false;
            }
        }
        return true;
    }

    int inputPosition(int lane) {
        return inputPositions.getOrDefault(lane, 0);
    }

    Position committed(int partition) {
        return readerPositions.getOrDefault(partition, new Position(0, 0));
    }

    /** Gives a partition to a reader. */
    void assign(int partition, String client) {
        Assignment before = owners.get(partition);
        owners.put(partition, new Assignment(client, before == null ? 0 : before.generation + 1));
    }

    /**
     * Generation of the assignment that gives a partition to a client; -1 when it is not the
     * client's.
     */
    int generation(String client, int partition) {
        Assignment assignment = owners.get(partition);
        return assignment != null && assignment.client.equals(client) ? assignment.generation : -1;
    }

    /** Everything delivered for good, in order. */
    List<Output> outputs() {
        return outputs;
    }

    int partitionCount() {
        return partitions.size();
    }
}
