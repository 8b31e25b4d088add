package dev.blobshuffle.arrow.internal;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.AbstractCompressionCodec;
import org.jspecify.annotations.Nullable;

/**
 * A codec for buffers of Arrow bodies: the uncompressed length in eight bytes, then the compressed
 * bytes (Arrow columnar format, "Compression"). It never reads or writes outside its buffers, and
 * frees its memory if it fails.
 */
abstract class BodyCodec extends AbstractCompressionCodec {
    /** Bytes of the uncompressed length. */
    private static final int PREFIX = 8;

    private final String name;

    BodyCodec(String name) {
        this.name = name;
    }

    /** The most compressed bytes for a length. */
    abstract long bound(int length);

    /** Compresses all of a buffer; returns the length. */
    abstract int compress(ByteBuffer source, ByteBuffer target);

    /** Whether a buffer can decompress to a length. Checked before memory is allocated. */
    abstract boolean isPossible(ByteBuffer source, int length);

    /**
     * Decompresses all of a buffer to exactly the target's length.
     *
     * @throws BlobCorruptException recoverable: the bytes differ from those that were written
     */
    abstract void decompress(ByteBuffer source, ByteBuffer target);

    @Override
    protected final ArrowBuf doCompress(BufferAllocator allocator, ArrowBuf raw) {
        int length = checkLength(raw.writerIndex(), "compress");
        int bound = checkLength(bound(length), "compress");
        ArrowBuf compressed = allocator.buffer(PREFIX + (long) bound);
        try {
            compressed.writerIndex(PREFIX + compress(bytes(raw, 0, length), bytes(compressed, PREFIX, bound)));
            return compressed;
        } catch (Throwable e) {
            compressed.close();
            throw e;
        }
    }

    @Override
    protected final ArrowBuf doDecompress(BufferAllocator allocator, ArrowBuf compressed) {
        int length = checkLength(readUncompressedLength(compressed), "decompress");
        ByteBuffer source = bytes(compressed, PREFIX, checkLength(compressed.writerIndex() - PREFIX, "decompress"));
        if (!isPossible(source, length)) {
            throw corrupt(source.limit() + " bytes cannot become " + length);
        }
        ArrowBuf raw = allocator.buffer(length);
        try {
            decompress(source, bytes(raw, 0, length));
            raw.writerIndex(length);
            return raw;
        } catch (Throwable e) {
            raw.close();
            throw e;
        }
    }

    /** A failure with its reason. */
    final BlobCorruptException corrupt(String reason) {
        return corrupt(reason, null);
    }

    /** A failure with its reason and its cause. */
    final BlobCorruptException corrupt(@Nullable String reason, @Nullable Throwable cause) {
        return new BlobCorruptException(
                "Cannot decompress a buffer with " + name + ": " + reason + ". Read it again.", cause);
    }

    private int checkLength(long length, String verb) {
        if (length < 0) {
            throw corrupt("its length is " + length);
        }
        if (length > Integer.MAX_VALUE - PREFIX) {
            throw new IllegalArgumentException("Cannot " + verb + " a buffer of " + length + " bytes with " + name
                    + ": at most 2 GiB are possible. Write smaller batches.");
        }
        return (int) length;
    }

    private static ByteBuffer bytes(ArrowBuf buffer, long index, int length) {
        return buffer.nioBuffer(index, length).slice().order(ByteOrder.LITTLE_ENDIAN);
    }
}
