package dev.blobshuffle.arrow.internal;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/** A codec of Zstandard frames, based on the reference implementation. Immutable. */
public final class ZstdCodec extends BodyCodec {
    private final int level;

    /**
     * A codec.
     *
     * @param level for compression, from 1 to 22
     */
    public ZstdCodec(int level) {
        super("Zstandard");
        this.level = level;
    }

    @Override
    public CodecType getCodecType() {
        return CodecType.ZSTD;
    }

    @Override
    long bound(int length) {
        return Zstd.compressBound(length);
    }

    @Override
    int compress(ByteBuffer source, ByteBuffer target) {
        return (int) Zstd.compressDirectByteBuffer(target, 0, target.limit(), source, 0, source.limit(), level);
    }

    /** Whether the frame states this length, or none. A frame without a length reports 0 or -1. */
    @Override
    boolean isPossible(ByteBuffer source, int length) {
        long stated = Zstd.getDirectByteBufferFrameContentSize(source, 0, source.limit());
        return stated <= 0 || stated == length;
    }

    @Override
    void decompress(ByteBuffer source, ByteBuffer target) {
        long length;
        try {
            length = Zstd.decompressDirectByteBuffer(target, 0, target.limit(), source, 0, source.limit());
        } catch (ZstdException e) {
            throw corrupt(e.getMessage(), e);
        }
        if (length != target.limit()) {
            throw corrupt("it has " + length + " bytes instead of " + target.limit());
        }
    }
}
