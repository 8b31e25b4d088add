package dev.blobshuffle.arrow;

import dev.blobshuffle.arrow.internal.Lz4Codec;
import dev.blobshuffle.arrow.internal.ZstdCodec;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/**
 * LZ4 and Zstandard for arrow-java, for its readers, writers and Flight clients. A service of
 * {@link CompressionCodec.Factory}: with this jar on the class path, and without {@code
 * arrow-compression}, arrow-java uses it. Of two such services the first on the class path is used.
 * Stateless.
 *
 * <p>It reads every LZ4 frame that Arrow's libraries write, with dependent or independent blocks,
 * and verifies the checksums that it has. {@code arrow-compression} reads them too, at about a
 * hundredth of the speed.
 */
public final class ArrowCompression implements CompressionCodec.Factory {
    /** The factory. */
    public static final ArrowCompression INSTANCE = new ArrowCompression();

    /** As {@code arrow-compression} has it. */
    private static final int ZSTD_LEVEL = 3;

    /** For {@link java.util.ServiceLoader}; otherwise use {@link #INSTANCE}. */
    public ArrowCompression() {}

    /**
     * A codec; Zstandard with level 3.
     *
     * @throws IllegalArgumentException for a type that compresses nothing
     */
    @Override
    public CompressionCodec createCodec(CodecType type) {
        return createCodec(type, ZSTD_LEVEL);
    }

    /**
     * A codec.
     *
     * @param level of Zstandard, from 1, the fastest, to 22; LZ4 has none
     * @throws IllegalArgumentException for a type that compresses nothing
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
