package dev.blobshuffle.core.internal.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import org.jspecify.annotations.Nullable;

/**
 * Compression into Zstandard frames, at the library's default level. Owned by one thread at a time.
 */
final class ZstdCompression implements Compression {
    private @Nullable ZstdCompressCtx context;

    @Override
    public int maxCompressedLength(int length) {
        return Math.toIntExact(Zstd.compressBound(length));
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target) {
        if (context == null) {
            context = new ZstdCompressCtx();
        }
        return context.compressByteArray(target, 0, target.length, source, offset, length);
    }

    @Override
    public boolean decompress(byte[] source, int offset, int length, byte[] target, int rawLength) {
        if (Zstd.getFrameContentSize(source, offset, length) != rawLength) {
            return false;
        }
        try {
            return Zstd.decompressByteArray(target, 0, rawLength, source, offset, length) == rawLength;
        } catch (ZstdException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
            context = null;
        }
    }
}
