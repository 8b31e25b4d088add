package dev.blobshuffle.arrow;

import dev.blobshuffle.arrow.internal.Lz4Codec;
import dev.blobshuffle.arrow.internal.ZstdCodec;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/**
 * LZ4 and Zstandard for arrow-java's readers, writers and Flight clients. It is a service of
 * {@link CompressionCodec.Factory}: arrow-java uses it if this jar is on the class path without
 * {@code arrow-compression}. If both are there, arrow-java uses the first on the class path.
 * Stateless.
 *
 * <p>It reads every LZ4 frame that Arrow's libraries write, with dependent or independent blocks,
 * and verifies the checksums that the frame has. {@code arrow-compression} reads them too, at about
 * a hundredth of the speed.
 */
public final class ArrowCompression implements CompressionCodec.Factory {
    /** The factory. */
    public static final ArrowCompression INSTANCE = new ArrowCompression();

    /** The default level of {@code arrow-compression}. */
    private static final int ZSTD_LEVEL = 3;

    /** For {@link java.util.ServiceLoader}; otherwise use {@link #INSTANCE}. */
    public ArrowCompression() {}

    /**
     * Creates a codec; Zstandard with level 3.
     *
     * @throws IllegalArgumentException for a type without compression
     */
    @Override
    public CompressionCodec createCodec(CodecType type) {
        return createCodec(type, ZSTD_LEVEL);
    }

    /**
     * Creates a codec.
     *
     * @param level of Zstandard, from 1, the fastest, to 22; LZ4 ignores it
     * @throws IllegalArgumentException for a type without compression
     */
    @Override
    public CompressionCodec createCodec(CodecType type, int level) {
        return switch (type) {
            case LZ4_FRAME -> Lz4Codec.INSTANCE;
            case ZSTD -> new ZstdCodec(level);
            case NO_COMPRESSION ->
                throw new IllegalArgumentException("Cannot make a codec of " + type + ": it compresses nothing.");
        };
    }
}
