package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of one segment, in order, from bytes that arrive at once or in pieces. It
 * checks and decodes one frame at a time, when the frame's first record is requested. Skipped
 * frames are not decoded. Owned by one thread.
 *
 * <pre>{@code
 * SegmentReader reader = new SegmentReader(notification, partition, keys, memory);
 * reader.skip(firstRecord);
 * while (!reader.isFinished()) {
 *     reader.input(bytes);            // of the segment, from reader.position() on, at least reader.wanted() of them
 *     while (reader.next()) { ... }
 * }
 * }</pre>
 *
 * <p>For any bytes, each method returns its result or throws {@link BlobCorruptException}. Besides
 * keys and values, the reader allocates memory for at most one decrypted and one decompressed
 * frame: at most twice {@link Frame#MAX_RAW_LENGTH} bytes, and no more than its {@link Memory}
 * grants. It allocates this memory only after it has verified the checksum of the stored body.
 */
public final class SegmentReader implements RecordView {
    /**
     * Memory for decoded frames that the reader may use without asking {@link Memory}, bytes: two
     * usual frames.
     */
    public static final int FREE_MEMORY = 256 << 10;

    /** Grants the memory for decoded frames above {@link #FREE_MEMORY}. */
    @FunctionalInterface
    public interface Memory {
        /** Grants every request. */
        Memory UNLIMITED = bytes -> true;

        /** Takes bytes if that many are free. The reader's owner returns {@link #heldBytes()}. */
        boolean tryAcquire(long bytes);
    }

    private final Notification notification;
    private final int tag;
    private final @Nullable FrameCipher cipher;
    private final Memory memory;
    private final RecordCursor cursor = new RecordCursor();
    private final CRC32C headers = new CRC32C();

    /**
     * The last input: its array, the offset of its first byte in the array, the offset of its first
     * byte in the segment, and its length.
     */
    private byte[] input = {};

    private int inputOffset;
    private long inputStart;
    private int inputLength;

    /**
     * The start of the next frame in the segment, and the bytes needed from there to enter or skip
     * the frame.
     */
    private long frameStart;

    private int frameWanted = Frame.HEADER_LENGTH;

    /** Number of records in the frames before {@link #frameStart}. */
    private int framesRecords;

    /** Records below this index are skipped. */
    private int firstWanted;

    private int index = -1;
    private byte[] opened = {};
    private byte[] raw = {};
    private long held;
    private boolean isStarved;

    /**
     * A reader at the first record of the notification's segment. It has no bytes yet.
     *
     * @param partition the partition in which the notification was found; frames of another
     *     partition are refused
     * @param keys decrypt the segment if it is encrypted
     * @param memory grants the memory for decoded frames
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the library of the
     *     segment's codec, or its key, is not available
     */
    public SegmentReader(Notification notification, Partition partition, Keyring keys, Memory memory) {
        notification.codec().requireLibrary();
        this.notification = notification;
        this.memory = memory;
        tag = Binding.tag(partition);
        cipher = notification
                .key()
                .map(key -> new FrameCipher(
                        FrameCipher.blobKey(keys, key, notification.blob()), notification.blob(), partition))
                .orElse(null);
    }

    /** A reader of an unencrypted segment, which trusts the notification's partition. */
    SegmentReader(Notification notification) {
        notification.codec().requireLibrary();
        this.notification = notification;
        memory = Memory.UNLIMITED;
        tag = notification.binding().map(Binding::tag).orElse(0);
        cipher = null;
    }

    /** Bytes that {@link Memory} has granted and the reader still holds. */
    public long heldBytes() {
        return held;
    }

    /**
     * Drops decoded memory that holds no unread record.
     *
     * @return bytes that {@link Memory} had granted for it
     */
    public long trim() {
        if (cursor.remaining() > 0) {
            return 0;
        }
        opened = new byte[0];
        raw = new byte[0];
        cursor.reset(raw, 0, 0, 0, 0);
        long trimmed = held;
        held = 0;
        return trimmed;
    }

    /**
     * Whether the last {@link #next()} returned false because {@link Memory} refused the request.
     * The input is still valid.
     */
    public boolean isStarved() {
        return isStarved;
    }

    /**
     * Offset in the segment, bytes, at which the next {@link #input} must start. Everything before
     * it is read or skipped.
     */
    public long position() {
        return frameStart;
    }

    /**
     * The fewest bytes from {@link #position()} on that the next step needs: a frame, or its header
     * while the frame's length is unknown; 0 if all frames have been entered or skipped. Never more
     * than the rest of the segment.
     */
    public int wanted() {
        return (int) Math.min(frameWanted, notification.segmentLength() - frameStart);
    }

    /**
     * Sets the input, and replaces the previous one. The buffer's array must be accessible and must
     * not change until the next input; position and limit do not move. Legal at the start and after
     * {@link #next()} returned false. If the buffer holds the whole segment, the notification's
     * checksum is verified before any record is read. If the segment comes in pieces, it is
     * verified before the records of the last frame.
     *
     * @param bytes the segment's bytes from {@link #position()} on: at least {@link #wanted()}, at
     *     most the rest
     * @throws BlobCorruptException fatal: there are fewer or more bytes, or they are not those of
     *     the notification's segment
     */
    public void input(ByteBuffer bytes) {
        if (cursor.remaining() > 0) {
            throw new IllegalStateException(
                    "Cannot take bytes: " + cursor.remaining() + " records of the current frame are not read.");
        }
        int length = bytes.remaining();
        if (length < wanted() || length > notification.segmentLength() - frameStart) {
            throw corrupt("got " + length + " bytes at " + frameStart + " of " + notification.segmentLength()
                    + ", needed " + wanted() + " or more");
        }
        input = bytes.array();
        inputOffset = bytes.arrayOffset() + bytes.position();
        inputStart = frameStart;
        inputLength = length;
        if (frameStart == 0 && length == notification.segmentLength()) {
            checkFrames();
        }
    }

    /**
     * Steps to the next record.
     *
     * @return false if the segment is finished ({@link #isFinished()}), more input is needed, or
     *     memory is missing ({@link #isStarved()})
     * @throws BlobCorruptException fatal: the bytes are damaged
     */
    public boolean next() {
        do {
            if (cursor.remaining() == 0 && !enterFrame()) {
                return false;
            }
            cursor.next();
            index = framesRecords - cursor.remaining() - 1;
        } while (index < firstWanted);
        return true;
    }

    /**
     * Skips records after the current one, or all if fewer are left. Skipping a whole frame needs
     * only its header, not its body.
     */
    public void skip(int records) {
        if (records < 0) {
            throw new IllegalArgumentException("Cannot skip " + records + " records.");
        }
        int next = Math.max(firstWanted, index + 1);
        firstWanted = (int) Math.min(notification.records(), (long) next + records);
    }

    /** Whether all records have been read or skipped, and the segment's end has been checked. */
    public boolean isFinished() {
        boolean restSkipped = firstWanted == notification.records();
        return frameStart == notification.segmentLength() && (cursor.remaining() == 0 || restSkipped);
    }

    /** Index in the segment of the current record. */
    public int index() {
        return index;
    }

    @Override
    public long timestamp() {
        return cursor.timestamp();
    }

    @Override
    public byte @Nullable [] key() {
        return cursor.key();
    }

    @Override
    public byte @Nullable [] value() {
        return cursor.value();
    }

    @Override
    public Headers headers() {
        return cursor.headers();
    }

    @Override
    public int keyLength() {
        return cursor.keyLength();
    }

    @Override
    public int valueLength() {
        return cursor.valueLength();
    }

    @Override
    public byte[] array() {
        return cursor.array();
    }

    @Override
    public int valueOffset() {
        return cursor.valueOffset();
    }

    /**
     * Steps to the next frame with a wanted record. Returns false at the segment's end, or if bytes
     * or memory are missing.
     */
    private boolean enterFrame() {
        isStarved = false;
        while (frameStart < notification.segmentLength()) {
            long available = inputStart + inputLength - frameStart;
            if (available < Frame.HEADER_LENGTH) {
                if (notification.segmentLength() - frameStart < Frame.HEADER_LENGTH) {
                    throw corrupt("its last frame is cut");
                }
                return false;
            }
            int at = inputOffset + (int) (frameStart - inputStart);
            FrameHeader header = readHeader(at, frameStart, framesRecords);
            boolean skipped = framesRecords + header.records() <= firstWanted;
            if (!skipped && available < header.storedLength()) {
                frameWanted = header.storedLength();
                return false;
            }
            if (!skipped && !reserve(header)) {
                isStarved = true;
                return false;
            }
            headers.update(input, at, Frame.HEADER_LENGTH);
            long position = notification.segmentOffset() + frameStart;
            frameStart += header.storedLength();
            framesRecords += header.records();
            frameWanted = Frame.HEADER_LENGTH;
            if (frameStart == notification.segmentLength()) {
                checkEnd(headers, framesRecords);
            }
            if (!skipped) {
                openBody(header, at, position);
                return true;
            }
        }
        return false;
    }

    /** Acquires the memory that a frame's body needs beyond what the reader holds. */
    private boolean reserve(FrameHeader header) {
        long size = Math.max(opened.length, header.isSealed() ? header.bodyLength() : 0L)
                + Math.max(raw.length, header.codec() == Codec.NONE ? 0L : header.rawLength());
        long needed = size - FREE_MEMORY;
        if (needed > held) {
            if (!memory.tryAcquire(needed - held)) {
                return false;
            }
            held = needed;
        }
        return true;
    }

    private void openBody(FrameHeader header, int headerAt, long position) {
        int at = headerAt + Frame.HEADER_LENGTH;
        checkBody(header, at);
        byte[] body = input;
        if (cipher != null) {
            body = decrypt(cipher, header, headerAt, position);
            at = 0;
        }
        int length = header.bodyLength();
        if (header.codec() == Codec.NONE) {
            cursor.reset(body, at, length, header.records(), header.baseTimestamp());
            return;
        }
        if (raw.length < header.rawLength()) {
            raw = new byte[header.rawLength()];
        }
        RecordCursor.decompress(header.codec(), body, at, length, raw, header.rawLength(), notification.blob());
        cursor.reset(raw, 0, header.rawLength(), header.records(), header.baseTimestamp());
    }

    /** Decrypts a body into the reader's own memory, because others may read the input too. */
    private byte[] decrypt(FrameCipher with, FrameHeader header, int headerAt, long position) {
        if (opened.length < header.bodyLength()) {
            opened = new byte[header.bodyLength()];
        }
        if (!with.open(position, input, headerAt, input, headerAt + Frame.HEADER_LENGTH, header.length(), opened)) {
            throw corrupt("a frame at " + position + " cannot be decrypted with key '"
                    + notification.key().orElse("") + "': the key has other bytes than the writer's, or the frame"
                    + " was changed or moved");
        }
        return opened;
    }

    private void checkBody(FrameHeader header, int at) {
        int checksum = Checksum.of(input, at, header.length());
        if (checksum != header.bodyChecksum()) {
            throw corrupt("a body's checksum is " + FrameHeader.hex(checksum) + ", not "
                    + FrameHeader.hex(header.bodyChecksum()));
        }
        for (int i = at + header.length(); i < at + Frame.align(header.length()); i++) {
            if (input[i] != 0) {
                throw corrupt("padding after a frame is not zero");
            }
        }
    }

    /** Checks the headers of a whole segment, so that no record of a wrong segment is returned. */
    private void checkFrames() {
        CRC32C all = new CRC32C();
        long start = 0;
        int records = 0;
        while (start < inputLength) {
            if (inputLength - start < Frame.HEADER_LENGTH) {
                throw corrupt("its last frame is cut");
            }
            int at = inputOffset + (int) start;
            FrameHeader header = readHeader(at, start, records);
            all.update(input, at, Frame.HEADER_LENGTH);
            start += header.storedLength();
            records += header.records();
        }
        checkEnd(all, records);
    }

    private FrameHeader readHeader(int at, long start, int recordsBefore) {
        FrameHeader header = FrameHeader.read(input, at, tag, notification.blob());
        checkProtection(header);
        if (header.codec() != Codec.NONE && header.codec() != notification.codec()) {
            throw corrupt("a frame has codec " + header.codec() + ", not " + notification.codec());
        }
        if (header.storedLength() > notification.segmentLength() - start
                || header.records() > notification.records() - recordsBefore) {
            throw corrupt("a frame of " + header.storedLength() + " bytes and " + header.records() + " records at "
                    + start + " reaches beyond its end");
        }
        return header;
    }

    /**
     * Checks that a frame has the version and encryption of the notification. Otherwise the frame
     * was replaced.
     */
    private void checkProtection(FrameHeader header) {
        if (header.isBound() != notification.binding().isPresent()) {
            throw corrupt("a frame and the notification are of different versions");
        }
        if (header.isSealed() != notification.key().isPresent()) {
            throw corrupt(header.isSealed() ? "a frame is encrypted" : "a frame is not encrypted");
        }
    }

    private void checkEnd(CRC32C checksum, int records) {
        int actual = (int) checksum.getValue();
        if (actual != notification.checksum() || records != notification.records()) {
            throw corrupt("its checksum is " + FrameHeader.hex(actual) + " with " + records + " records, not "
                    + FrameHeader.hex(notification.checksum()));
        }
    }

    private BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read segment [" + notification.segmentOffset() + ", +" + notification.segmentLength()
                        + ") with "
                        + notification.records() + " records of blob " + notification.blob() + ": " + reason
                        + ". Read it again; if that fails too, the stored bytes are damaged or another writer used the same store with the same ids.");
    }
}
