package dev.blobshuffle.arrow.internal;

import java.nio.ByteBuffer;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/** LZ4 frames. Stateless. */
public final class Lz4Codec extends BodyCodec {
    /** The codec. */
    public static final Lz4Codec INSTANCE = new Lz4Codec();

    /** A byte of a length stands for 255 bytes, and nothing stands for more. */
    private static final long MOST_EXPANSION = 255;

    private Lz4Codec() {
        super("LZ4");
    }

    @Override
    public CodecType getCodecType() {
        return CodecType.LZ4_FRAME;
    }

    @Override
    long bound(int length) {
        return Lz4FrameEncoder.bound(length);
    }

    @Override
    int compress(ByteBuffer source, ByteBuffer target) {
        return Lz4FrameEncoder.encode(source, target);
    }

    @Override
    boolean isPossible(ByteBuffer source, int length) {
        return length <= MOST_EXPANSION * source.limit();
    }

    @Override
    void decompress(ByteBuffer source, ByteBuffer target) {
        Lz4FrameDecoder.decode(source, target, this::corrupt);
    }
}
