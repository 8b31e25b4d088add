package dev.blobshuffle.core.internal.write.log;

import dev.blobshuffle.core.failure.RecordTooLargeException;
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
 * One lane's output to one partition: a log of encoded records with a single writer. Sealed
 * segments are cut from it while the writer continues to append.
 *
 * <p>The log is a linked list of {@link Chunk chunks}. The writer (the lane's thread) encodes a
 * record beyond the published end of its chunk, where no other thread reads. Then it publishes the
 * new end: chunk, position, number of records, last timestamp, smallest and largest timestamp. A
 * sequence lock keeps these fields consistent. The version is odd while they change, and a reader
 * that sees an odd or changed version reads again. The writer never waits, and on x86 publishing
 * costs no fence. The reader, which runs once per batch, bears the cost.
 *
 * <p>A cut (any thread, under the monitor of the open batch) takes a snapshot of the published end.
 * The segment consists of the records between the previous cut and the snapshot. The writer
 * continues behind it, in the same chunk, without synchronization. The last timestamp is known at
 * each cut and at each chunk's end, so the chain of timestamp deltas needs no restart: a frame's
 * base is the timestamp before its first record.
 *
 * <p>The smallest and largest timestamps (the extremes) must restart with each segment, and only
 * the writer can restart them. A cut publishes the record count at which it was made. If the writer
 * notices the cut at exactly that count, it restarts the extremes, and they cover exactly the next
 * segment. If the writer has already appended past the cut, they do not. Then {@code extremesFrom},
 * the count at which the extremes start, differs from the cut, and walking the segment finds its
 * extremes.
 *
 * <p>Threads: only the lane's thread appends, changes the zone and retires chunks. The batch's
 * monitor guards the fields of the cut.
 */
public final class PartitionLog implements Lane.Output {
    private static final VarHandle VERSION;
    /**
     * The fewest bytes of a record. It bounds the number of records that one chunk can add to a
     * segment.
     */
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

    // Owned by the writer.
    private byte[] array;
    private long chunkStart;
    private boolean isOversized;
    private long seenCut;
    private long flushedRecords;
    private Section section;

    // Published by the writer, under the version.
    @SuppressWarnings("UnusedVariable") // Accessed through its handle only.
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
     * Chunk, position and timestamp before the first record that is not cut. All three fields are
     * guarded by the batch's monitor.
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
     * The size of a first chunk. It is small, so that many nearly idle outputs need little memory.
     * If a chunk fills up within one batch, the next one is large.
     */
    private int firstSize() {
        return Math.max(1024, pool.largest() / 8);
    }

    @Override
    public void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        ensureRoom(RecordLayout.maxEncodedSize(key, value, headers));
        int start = position;
        appended(start, RecordLayout.encode(array, start, timestamp - lastTimestamp, key, value, headers), timestamp);
    }

    @Override
    public void append(long timestamp, byte[] value, int offset, int length) {
        ensureRoom(RecordLayout.maxEncodedSize(length));
        int start = position;
        int end = RecordLayout.encodeValue(array, start, timestamp - lastTimestamp, value, offset, length);
        appended(start, end, timestamp);
    }

    private void ensureRoom(long bound) {
        owner.checkUsable();
        if (bound > largestRecord) {
            throw tooLarge(bound);
        }
        if (bound > array.length - position) {
            makeRoom(bound);
        }
    }

    private void appended(int start, int end, long timestamp) {
        publish(end, timestamp);
        if (isOversized) {
            retire();
        }
        // Read the flag after publishing. If a seal clears it just afterwards, the check that
        // follows each seal finds the record.
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

    private RecordTooLargeException tooLarge(long bound) {
        return new RecordTooLargeException("Cannot append a record to " + partition + ": it takes up to " + bound
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
     * Leaves the current chunk. Its records stay in the log, and its memory is released once they
     * are delivered. Called by the lane's thread.
     */
    public void retire() {
        isOversized = false;
        if (array.length > 0) {
            install(Chunk.empty());
        }
    }

    /**
     * Leaves the current chunk if nothing was appended since the last call, so that an idle output
     * holds no memory. Called by the lane's thread.
     */
    public void retireIfIdle() {
        if (records == flushedRecords) {
            retire();
        }
        flushedRecords = records;
    }

    /**
     * Moves the output to the section of another zone, where the partition's readers are now.
     * Unsealed records move with it. Called by the lane's thread.
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
     * Whether the log has records that are not cut yet. Exact on the lane's thread. On other
     * threads it may miss a record that is being appended.
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
                Thread.yield(); // The writer was descheduled while publishing.
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Cuts everything that is published. Called under the batch's monitor.
     *
     * @return null if there is nothing to cut
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
     * Drops everything that is not cut. Called under the batch's monitor.
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
     * Releases the log's last chunk, after {@link #drop}. The output must not be used afterwards.
     * Called once, under the batch's monitor.
     */
    public void end() {
        cutChunk.release();
    }

    /** The lane that appends. Called by its thread. */
    public interface Owner {
        /** Throws the lane's stored failure, if any. */
        void checkUsable();

        /** Acquires memory for a record. Waits if the budget is full. */
        Chunk acquire(int size);
    }

    /**
     * The open batch's section for this lane's records to one zone. Called by the lane's thread.
     */
    public interface Section {
        /** The zone of the readers. */
        Zone zone();

        /** Whether the batch has a record since the last seal. */
        boolean isOpen();

        /** Marks that the batch has its first record. */
        void open();

        /** Counts appended bytes, which may seal the batch. */
        void add(int bytes);

        /** Seals the batch, because a segment can hold no more records. */
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
