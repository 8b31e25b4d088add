package dev.blobshuffle.core.internal.write.log;

import dev.blobshuffle.core.failure.RecordTooLarge;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lane's output to one partition: a log of encoded records with a single writer, out of which
 * sealed segments are cut while the writer goes on.
 *
 * <p>The log is a linked list of {@link Chunk chunks}. The writer (the lane's thread) encodes a
 * record beyond the published end of its chunk, where nobody looks, and then publishes the new end:
 * chunk, position, number of records, last timestamp, smallest and largest timestamp. These belong
 * together, so they are under a sequence lock: the version is odd while they change, and a reader
 * that saw an odd or a changed version reads again. The writer never waits, and on x86 publishing
 * costs no fence; the reader, who comes once per batch, carries all the cost.
 *
 * <p>A cut (any thread, under the monitor of the open batch) takes such a snapshot. The segment is
 * what lies between the previous cut and the snapshot; the writer goes on behind it, in the same
 * chunk, without noticing. Because the timestamp before any record is known at each cut and at each
 * chunk's end, the chain of timestamp deltas needs no restart: a frame's base is the timestamp
 * before its first record.
 *
 * <p>Smallest and largest timestamp restart with a segment, and only the writer can restart them. A
 * cut leaves the record count at which it was made; when the writer sees it at exactly that count,
 * its extremes cover exactly the next segment. When it has appended past the cut meanwhile, they do
 * not, the count from which they run ({@code extremesFrom}) tells so, and the segment's own
 * extremes are found by walking it.
 *
 * <p>Threads: append, zone and retirement belong to the lane's thread; the fields of the cut are
 * guarded by the batch's monitor.
 */
public final class PartitionLog implements Lane.Output {
    private static final VarHandle VERSION;
    /** The fewest bytes of a record: bounds how many of them one chunk can add to a segment. */
    private static final int LEAST_RECORD_BYTES = 3;

    private static final int SPINS = 1000;

    static {
        try {
            VERSION = MethodHandles.lookup().findVarHandle(PartitionLog.class, "version", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Owner owner;
    private final Partition partition;
    private final ChunkPool pool;
    private final long largestRecord;

    // The writer's own.
    private byte[] array;
    private long chunkStart;
    private boolean isOversized;
    private long seenCut;
    private long flushedRecords;
    private Section section;

    // Published by the writer, under the version.
    @SuppressWarnings("UnusedVariable") // By its handle only.
    private int version;

    private Chunk chunk;
    private int position;
    private long records;
    private long lastTimestamp;
    private long minTimestamp = Long.MAX_VALUE;
    private long maxTimestamp = Long.MIN_VALUE;
    private long extremesFrom;

    /** Records before the last cut. Written under the batch's monitor, read by the writer. */
    private volatile long cutRecords;

    /**
     * Guarded by the batch's monitor, as the two after it. Position and timestamp before the first
     * record that is not cut.
     */
    private Chunk cutChunk;

    private int cutPosition;
    private long cutTimestamp;

    /** An empty log, without memory. */
    public PartitionLog(Owner owner, Partition partition, Section section, ChunkPool pool) {
        this.owner = owner;
        this.partition = partition;
        this.section = section;
        this.pool = pool;
        this.largestRecord = pool.largestRecord();
        chunk = Chunk.empty();
        cutChunk = chunk;
        array = chunk.array();
    }

    /**
     * A first chunk is small, so that many nearly idle outputs take little; one that fills up
     * within a batch is followed by a large one.
     */
    private int firstSize() {
        return Math.max(1024, pool.largest() / 8);
    }

    @Override
    public void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        owner.checkUsable();
        long bound = RecordLayout.maxEncodedSize(key, value, headers);
        if (bound > largestRecord) {
            throw tooLarge(bound);
        }
        if (bound > array.length - position) {
            makeRoom(bound);
        }
        int start = position;
        int end = RecordLayout.encode(array, start, timestamp - lastTimestamp, key, value, headers);
        publish(end, timestamp);
        if (isOversized) {
            retire();
        }
        // After publishing: a record that missed this flag's fall is found by the check that
        // follows each seal.
        if (!section.isOpen()) {
            section.open();
        }
        section.add(end - start);
    }

    private void publish(int end, long timestamp) {
        long before = records;
        long cut = cutRecords;
        long min = minTimestamp;
        long max = maxTimestamp;
        long from = extremesFrom;
        if (cut != seenCut) {
            seenCut = cut;
            if (cut == before) {
                min = Long.MAX_VALUE;
                max = Long.MIN_VALUE;
                from = before;
            }
        }
        int odd = beginChange();
        position = end;
        records = before + 1;
        lastTimestamp = timestamp;
        minTimestamp = Math.min(min, timestamp);
        maxTimestamp = Math.max(max, timestamp);
        extremesFrom = from;
        endChange(odd);
    }

    private int beginChange() {
        int odd = (int) VERSION.get(this) + 1;
        VERSION.setOpaque(this, odd);
        VarHandle.storeStoreFence();
        return odd;
    }

    private void endChange(int odd) {
        VERSION.setRelease(this, odd + 1);
    }

    private void makeRoom(long bound) {
        boolean filledInOneBatch = array.length > 0 && cutRecords <= chunkStart;
        int bytes = (int) bound;
        boolean oversized = bytes > pool.largest();
        int size = oversized ? bytes : pool.size(bytes, filledInOneBatch ? pool.largest() : firstSize());
        int most = oversized ? 1 : size / LEAST_RECORD_BYTES;
        if (records - cutRecords > Notification.MAX_RECORDS - most) {
            section.sealFull();
        }
        install(owner.acquire(size));
        isOversized = oversized;
    }

    private RecordTooLarge tooLarge(long bound) {
        return new RecordTooLarge("Cannot append a record to " + partition + ": it takes up to " + bound
                + " bytes, which is larger than a record may be ("
                + largestRecord
                + "). Send a smaller record, or raise blobshuffle.record.max.bytes up to "
                + RecordLayout.MAX_ENCODED_SIZE
                + ", and blobshuffle.write.buffer.bytes if it is smaller.");
    }

    private void install(Chunk next) {
        chunk.continueIn(next, position, records, lastTimestamp);
        int odd = beginChange();
        chunk = next;
        position = 0;
        endChange(odd);
        array = next.array();
        chunkStart = records;
    }

    /**
     * Leaves the chunk: what it holds stays in the log, and its memory goes back as soon as that is
     * delivered. By the lane's thread.
     */
    public void retire() {
        isOversized = false;
        if (array.length > 0) {
            install(Chunk.empty());
        }
    }

    /**
     * Leaves the chunk if nothing was appended since the last call: an idle output holds no memory.
     * By the lane's thread.
     */
    public void retireIfIdle() {
        if (records == flushedRecords) {
            retire();
        }
        flushedRecords = records;
    }

    /**
     * Readers of the partition are in another zone now. What is not yet sealed moves with it. By
     * the lane's thread.
     */
    public void moveTo(Section next) {
        section = next;
    }

    public Zone zone() {
        return section.zone();
    }

    public Partition partition() {
        return partition;
    }

    /**
     * Whether anything was appended and not cut yet. By the lane's thread, or as a guess that
     * misses what is being appended right now.
     */
    public boolean hasUnsealed() {
        return snapshot().records != cutRecords;
    }

    private Snapshot snapshot() {
        for (int spins = 1; ; spins++) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                Snapshot seen =
                        new Snapshot(chunk, position, records, lastTimestamp, minTimestamp, maxTimestamp, extremesFrom);
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return seen;
                }
            }
            if (spins % SPINS == 0) {
                Thread.yield(); // The writer lost its processor in the middle of publishing.
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Cuts off everything that is published. Under the batch's monitor.
     *
     * @return null when there is nothing
     */
    public @Nullable LogCut cut() {
        Snapshot end = snapshot();
        long startRecords = cutRecords;
        List<Slice> slices = cutSlices(end);
        if (slices.isEmpty()) {
            return null;
        }
        boolean exact = end.extremesFrom == startRecords;
        return new LogCut(
                slices,
                Math.toIntExact(end.records - startRecords),
                exact ? new TimestampRange(end.minTimestamp, end.maxTimestamp) : null);
    }

    private List<Slice> cutSlices(Snapshot end) {
        if (end.chunk == cutChunk && end.position == cutPosition) {
            return List.of();
        }
        List<Slice> slices = new ArrayList<>(2);
        Chunk at = cutChunk;
        int start = cutPosition;
        long before = cutRecords;
        long base = cutTimestamp;
        while (at != end.chunk) {
            if (at.end() > start) {
                slices.add(new Slice(at, start, at.end() - start, Math.toIntExact(at.endRecords() - before), base));
            } else {
                at.release();
            }
            start = 0;
            before = at.endRecords();
            base = at.endTimestamp();
            at = at.next();
        }
        if (end.position > start) {
            at.retain();
            slices.add(new Slice(at, start, end.position - start, Math.toIntExact(end.records - before), base));
        }
        cutChunk = at;
        cutPosition = end.position;
        cutTimestamp = end.lastTimestamp;
        cutRecords = end.records;
        return slices;
    }

    /**
     * Drops everything that is not cut. Under the batch's monitor.
     *
     * @return the number of records dropped
     */
    public long drop() {
        long before = cutRecords;
        for (Slice slice : cutSlices(snapshot())) {
            slice.chunk().release();
        }
        return cutRecords - before;
    }

    /**
     * Gives up the log's last chunk, after {@link #drop}: the output is not used any more. Under
     * the batch's monitor, once.
     */
    public void end() {
        cutChunk.release();
    }

    /** The lane that appends. Called by its thread. */
    public interface Owner {
        /** Throws the failure that sticks. */
        void checkUsable();

        /** Memory for a record; waits for it when the budget is full. */
        Chunk acquire(int size);
    }

    /** The open batch, as this lane's records for one zone see it. Called by the lane's thread. */
    public interface Section {
        /** Where the readers are. */
        Zone zone();

        /** Whether the batch has a record since the last seal. */
        boolean isOpen();

        /** The batch has its first record. */
        void open();

        /** Counts appended bytes, which may seal the batch. */
        void add(int bytes);

        /** Seals the batch: a segment can hold no more records. */
        void sealFull();
    }

    /** The published end of the log. */
    private record Snapshot(
            Chunk chunk,
            int position,
            long records,
            long lastTimestamp,
            long minTimestamp,
            long maxTimestamp,
            long extremesFrom) {}
}
