package dev.blobshuffle.core.internal.format;

import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/** Compression into LZ4 blocks. Thread-safe, because the library keeps no state. */
final class Lz4Compression implements Compression {
    private static final LZ4Factory FACTORY = LZ4Factory.fastestInstance();

    @Override
    public int maxCompressedLength(int length) {
        return FACTORY.fastCompressor().maxCompressedLength(length);
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target) {
        return FACTORY.fastCompressor().compress(source, offset, length, target, 0, target.length);
    }

    @Override
    public boolean decompress(byte[] source, int offset, int length, byte[] target, int rawLength) {
        try {
            return FACTORY.safeDecompressor().decompress(source, offset, length, target, 0, rawLength) == rawLength;
        } catch (LZ4Exception e) {
            return false;
        }
    }

    @Override
    public void close() {}
}
