package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Compression;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Encodes raw bodies as frames. It compresses a body in place if that makes it smaller, encrypts it
 * in place if there is a key to write with, and computes its checksum. Between calls it keeps
 * scratch memory for codec and cipher, at most twice {@value #MAX_KEPT_SCRATCH} bytes. Owned by one
 * thread at a time.
 *
 * <p>Encryption binds a frame to its position, so call {@link #begin(BlobId)} for each blob, then
 * {@link #begin(Partition)} for each segment, then {@link #encode} for each frame, in the blob's
 * order.
 */
public final class FrameEncoder implements AutoCloseable {
    /**
     * The most scratch memory that is kept. Larger scratch for a huge record is dropped, so that
     * the record does not cost every worker its size for ever.
     */
    private static final int MAX_KEPT_SCRATCH = 1 << 20;

    private final Codec codec;
    private final @Nullable Compression compression;
    private final Keyring keys;
    private byte[] scratch = {};
    private byte[] sealed = {};
    private final byte[] header = new byte[Frame.HEADER_LENGTH];
    private @Nullable BlobId blob;
    private @Nullable SecretKey blobKey;
    private @Nullable FrameCipher cipher;

    /** The start of the next frame in the blob. */
    private long position;

    /** An encoder that does not encrypt. */
    public FrameEncoder(Codec codec) {
        this(codec, Keyring.none());
    }

    /**
     * An encoder.
     *
     * @param keys whether to encrypt, and with which key
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the codec's library is
     *     not on the class path
     */
    public FrameEncoder(Codec codec, Keyring keys) {
        codec.requireLibrary();
        this.codec = codec;
        this.keys = keys;
        compression = codec == Codec.NONE ? null : codec.compression();
    }

    /** Begins a blob. */
    public void begin(BlobId id) {
        blob = id;
        blobKey = keys.writing().map(key -> FrameCipher.blobKey(keys, key, id)).orElse(null);
        cipher = null;
        position = 0;
    }

    /** Begins a segment. */
    public void begin(Partition partition) {
        SecretKey key = blobKey;
        BlobId id = blob;
        cipher = key == null || id == null ? null : new FrameCipher(key, id, partition);
    }

    /**
     * Encodes the records in {@code array[offset, offset + rawLength)} as a frame. A compressed or
     * encrypted body replaces the raw one at the same offset and is not longer. Bytes outside the
     * range do not change.
     *
     * @param records number of records in the range, as {@link RecordLayout} wrote them
     * @param baseTimestamp the base of the first record's timestamp delta, milliseconds
     */
    public Frame encode(byte[] array, int offset, int rawLength, int records, long baseTimestamp) {
        int length = compression == null ? rawLength : compressInPlace(compression, array, offset, rawLength);
        Codec used = length < rawLength ? codec : Codec.NONE;
        FrameCipher current = cipher;
        Optional<String> key = keys.writing();
        if (key.isPresent()) {
            if (current == null) {
                throw new IllegalStateException("Cannot encrypt a frame: no blob and partition was begun.");
            }
            Frame plain = new Frame(array, offset, length, rawLength, records, baseTimestamp, used, 0, null);
            return seal(plain, current, key.get());
        }
        int checksum = Checksum.of(array, offset, length);
        return new Frame(array, offset, length, rawLength, records, baseTimestamp, used, checksum, null);
    }

    private Frame seal(Frame plain, FrameCipher current, String key) {
        int length = plain.length();
        int needed = length + FrameCipher.TAG_LENGTH;
        byte[] target = needed <= sealed.length ? sealed : new byte[needed];
        if (needed <= MAX_KEPT_SCRATCH) {
            sealed = target;
        }
        FrameHeader.writeFields(plain, true, header, 0);
        current.seal(position, header, 0, plain.array(), plain.offset(), length, target);
        System.arraycopy(target, 0, plain.array(), plain.offset(), length);
        Frame frame = new Frame(
                plain.array(),
                plain.offset(),
                length,
                plain.rawLength(),
                plain.records(),
                plain.baseTimestamp(),
                plain.codec(),
                Checksum.of(target, 0, needed),
                new SealedFrame(key, current, position, target, length));
        position += frame.storedLength();
        return frame;
    }

    private int compressInPlace(Compression compression, byte[] array, int offset, int rawLength) {
        int needed = compression.maxCompressedLength(rawLength);
        byte[] target = needed <= scratch.length ? scratch : new byte[needed];
        if (needed <= MAX_KEPT_SCRATCH) {
            scratch = target;
        }
        int length = compression.compress(array, offset, rawLength, target);
        if (length >= rawLength) {
            return rawLength;
        }
        System.arraycopy(target, 0, array, offset, length);
        return length;
    }

    /** Frees the codec's native memory. Idempotent. */
    @Override
    public void close() {
        if (compression != null) {
            compression.close();
        }
    }
}
