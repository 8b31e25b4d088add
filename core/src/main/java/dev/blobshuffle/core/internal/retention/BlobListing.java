package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The blobs of one owner in a store's listing, in the order of their ids, with the state of each. A
 * writer numbers its blobs, so its blobs of one minute form a run of consecutive numbers. Memory is
 * used per run, and in addition each blob takes two bits, for four states:
 *
 * <pre>
 *   undecided  tombstone
 *       1          0      old enough, and undecided
 *       1          1      too young to be deleted, and undecided
 *       0          0      stays
 *       0          1      will be deleted
 * </pre>
 *
 * <p>No times are kept; the age of a blob is checked while the store is listed. Owned by one thread
 * at a time.
 */
public final class BlobListing {
    private final int owner;
    private final int mostRuns;
    private final int mostBlobs;
    private final BitSet undecided = new BitSet();
    /** The tombstones: blobs that will be deleted a grace period later. */
    private final BitSet condemned = new BitSet();

    private long[] generations = new long[16];
    private long[] writers = new long[16];
    private long[] firsts = new long[16];
    /** Number of blobs before each run. */
    private int[] starts = new int[16];

    private int runs;
    private int blobs;
    private boolean isFull;
    private Optional<Long> newest = Optional.empty();
    private long averageBytes;
    private final Map<Partition, Long> logStarts = new HashMap<>();

    /**
     * An empty listing.
     *
     * @param owner the owner of the blobs
     * @param mostRuns most runs that it holds
     * @param mostBlobs most blobs that it holds
     */
    BlobListing(int owner, int mostRuns, int mostBlobs) {
        this.owner = owner;
        this.mostRuns = mostRuns;
        this.mostBlobs = mostBlobs;
    }

    /**
     * Adds the next blob in order and returns whether there was room. After the first refusal no
     * blob is added.
     *
     * @throws IllegalArgumentException the blob has another owner
     */
    boolean add(BlobId id) {
        if (id.owner() != owner) {
            throw new IllegalArgumentException(
                    "Cannot list blob " + id + ": it is not of owner " + BlobId.hex(owner) + ".");
        }
        boolean isNext = runs > 0
                && generations[runs - 1] == id.generation()
                && writers[runs - 1] == id.writer()
                && firsts[runs - 1] + (blobs - starts[runs - 1]) == id.sequence();
        isFull |= blobs == mostBlobs || !isNext && runs == mostRuns;
        if (isFull) {
            return false;
        }
        if (!isNext) {
            begin(id);
        }
        undecided.set(blobs++);
        return true;
    }

    /** As {@link #add}, for a blob that is too young to be deleted. */
    boolean addYoung(BlobId id) {
        boolean isAdded = add(id);
        if (isAdded) {
            condemned.set(blobs - 1);
        }
        return isAdded;
    }

    private void begin(BlobId id) {
        if (runs == starts.length) {
            int capacity = runs * 2;
            generations = Arrays.copyOf(generations, capacity);
            writers = Arrays.copyOf(writers, capacity);
            firsts = Arrays.copyOf(firsts, capacity);
            starts = Arrays.copyOf(starts, capacity);
        }
        generations[runs] = id.generation();
        writers[runs] = id.writer();
        firsts[runs] = id.sequence();
        starts[runs++] = blobs;
    }

    /** Number of blobs. */
    public int size() {
        return blobs;
    }

    /**
     * The blob after which the next listing begins: the last one, if the listing had no room for
     * later blobs.
     */
    public Optional<BlobId> resumeAfter() {
        return isFull && blobs > 0 ? Optional.of(id(blobs - 1)) : Optional.empty();
    }

    /** Bytes of the blobs, estimated from the average of a sample. */
    public long estimatedBytes() {
        return averageBytes * blobs;
    }

    void averageBytes(long bytes) {
        averageBytes = bytes;
    }

    /** The newest generation of the owner, listed or not; empty if the owner has no blob. */
    public Optional<Long> newestGeneration() {
        return newest;
    }

    void newestGeneration(long generation) {
        newest = Optional.of(generation);
    }

    /** The start offsets of the logs by which the blobs were decided. */
    Map<Partition, Long> logStarts() {
        return logStarts;
    }

    void logStart(Partition partition, long start) {
        logStarts.put(partition, start);
    }

    /** The blob of an index, from 0 on. */
    BlobId id(int index) {
        int found = Arrays.binarySearch(starts, 0, runs, index);
        int run = found >= 0 ? found : -found - 2;
        return new BlobId(owner, generations[run], writers[run], firsts[run] + (index - starts[run]));
    }

    /**
     * The first index, from the given one on, whose blob is undecided and old enough; empty if
     * there is none.
     */
    Optional<Integer> undecided(int from) {
        int next = undecided.nextSetBit(from);
        while (next >= 0 && condemned.get(next)) {
            next = undecided.nextSetBit(next + 1);
        }
        return next < 0 ? Optional.empty() : Optional.of(next);
    }

    /** Decides that undecided blobs that are too young stay, and returns their number. */
    int spare() {
        int spared = 0;
        for (int index = undecided.nextSetBit(0); index >= 0; index = undecided.nextSetBit(index + 1)) {
            if (condemned.get(index)) {
                undecided.clear(index);
                condemned.clear(index);
                spared++;
            }
        }
        return spared;
    }

    /** Marks a blob as decided. */
    void decide(int index) {
        undecided.clear(index);
    }

    /** Marks a blob as decided and sets its tombstone. */
    void condemn(int index) {
        undecided.clear(index);
        condemned.set(index);
    }

    /** The first index with a tombstone from the given one on; empty if there is none. */
    Optional<Integer> condemned(int from) {
        int next = condemned.nextSetBit(from);
        while (next >= 0 && undecided.get(next)) {
            next = condemned.nextSetBit(next + 1);
        }
        return next < 0 ? Optional.empty() : Optional.of(next);
    }

    /** Number of tombstones. */
    public int condemned() {
        return condemned.cardinality();
    }

    /** The minute of the youngest blob with a tombstone; empty if there is none. */
    public Optional<Long> youngestCondemned() {
        int last = condemned.length() - 1; // The blobs are in order.
        return last < 0 ? Optional.empty() : Optional.of(id(last).generation());
    }

    /** Marks a blob as decided and returns whether it was undecided. */
    boolean decide(BlobId id) {
        int run = lastRunUpTo(id);
        if (id.owner() != owner || run < 0 || generations[run] != id.generation() || writers[run] != id.writer()) {
            return false;
        }
        int end = run + 1 < runs ? starts[run + 1] : blobs;
        long index = starts[run] + (id.sequence() - firsts[run]);
        if (index >= end || !undecided.get((int) index)) {
            return false;
        }
        undecided.clear((int) index);
        condemned.clear((int) index);
        return true;
    }

    private int lastRunUpTo(BlobId id) {
        int low = 0;
        int high = runs - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, id) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    private int compare(int run, BlobId id) {
        int byGeneration = Long.compare(generations[run], id.generation());
        if (byGeneration != 0) {
            return byGeneration;
        }
        int byWriter = Long.compareUnsigned(writers[run], id.writer());
        return byWriter != 0 ? byWriter : Long.compare(firsts[run], id.sequence());
    }
}
