package dev.blobshuffle.arrow.internal;

import java.nio.ByteBuffer;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/** A codec of LZ4 frames. Stateless. */
public final class Lz4Codec extends BodyCodec {
    /** The codec. */
    public static final Lz4Codec INSTANCE = new Lz4Codec();

    /** The most bytes per compressed byte: a byte of a length encodes up to 255 bytes. */
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
