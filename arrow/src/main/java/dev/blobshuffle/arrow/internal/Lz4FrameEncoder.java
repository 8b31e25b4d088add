package dev.blobshuffle.arrow.internal;

import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Encodes LZ4 frames (LZ4 frame format 1.6) with independent blocks of 64 KiB, which every decoder
 * reads. Stateless.
 */
final class Lz4FrameEncoder {
    static final int MAGIC = 0x184D2204;

    /** The flag of a block that is stored uncompressed. */
    static final int RAW = 1 << 31;

    /** The hash of headers and checksums. */
    static final XXHash32 HASH = XXHashFactory.safeInstance().hash32();

    private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
    private static final int BLOCK = 1 << 16;
    private static final int MOST_IN_BLOCK = COMPRESSOR.maxCompressedLength(BLOCK);

    /** Version 1, independent blocks, no checksums, because Arrow's blobs have their own. */
    private static final byte FLAGS = 0x60;

    /** Blocks of 64 KiB. */
    private static final byte DESCRIPTOR = 0x40;

    private static final int HEADER = 7;

    private Lz4FrameEncoder() {}

    /** The room that {@link #encode} needs for a number of bytes. */
    static long bound(int length) {
        long blocks = (length + BLOCK - 1L) / BLOCK;
        return HEADER + blocks * (4L + MOST_IN_BLOCK) + 4;
    }

    /** Compresses all of a buffer into another, both little-endian; returns the frame's length. */
    static int encode(ByteBuffer source, ByteBuffer target) {
        target.putInt(0, MAGIC).put(4, FLAGS).put(5, DESCRIPTOR);
        target.put(6, (byte) (HASH.hash(target, 4, 2, 0) >>> 8));
        int to = HEADER;
        for (int from = 0; from < source.limit(); from += BLOCK) {
            int raw = Math.min(BLOCK, source.limit() - from);
            int length = COMPRESSOR.compress(source, from, raw, target, to + 4, MOST_IN_BLOCK);
            if (length < raw) {
                target.putInt(to, length);
            } else {
                target.putInt(to, RAW | raw).put(to + 4, source, from, raw);
                length = raw;
            }
            to += 4 + length;
        }
        target.putInt(to, 0);
        return to + 4;
    }
}
