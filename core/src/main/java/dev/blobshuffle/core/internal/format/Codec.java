package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The compression of a frame's body. */
public enum Codec {
    /** No compression. */
    NONE(0, null, ""),
    /** LZ4 (one block, without an LZ4 frame), by the library of kafka-clients. */
    LZ4(1, "net.jpountz.lz4.LZ4Factory", "at.yawk.lz4:lz4-java"),
    /** Zstandard (one Zstandard frame with its content size), by the library of kafka-clients. */
    ZSTD(2, "com.github.luben.zstd.Zstd", "com.github.luben:zstd-jni");

    private final int code;
    private final @Nullable String entryPoint;
    private final String dependency;

    Codec(int code, @Nullable String entryPoint, String dependency) {
        this.code = code;
        this.entryPoint = entryPoint;
        this.dependency = dependency;
    }

    /** The codec's number in frame headers and notifications. */
    public int code() {
        return code;
    }

    /**
     * Checks that the codec can be used here.
     *
     * @throws InvalidSettingsException fatal: its library is missing or does not load; the message
     *     names it
     */
    public void requireLibrary() {
        if (entryPoint == null) {
            return;
        }
        try {
            Class.forName(entryPoint, true, Codec.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw new InvalidSettingsException(
                    "Cannot use compression " + name().toLowerCase(Locale.ROOT) + ": its library does not load, "
                            + entryPoint + ". Add the dependency " + dependency
                            + ", or set compression.type=none in every writer.",
                    e);
        }
    }

    /** A new compression of this codec; not for {@link #NONE}. The library must be present. */
    public Compression compression() {
        return switch (this) {
            case NONE -> throw new IllegalStateException("Cannot compress without a codec.");
            case LZ4 -> new Lz4Compression();
            case ZSTD -> new ZstdCompression();
        };
    }

    /**
     * The codec with a number.
     *
     * @param where names the source of the number. It is called only for a failure, because this
     *     method is called per frame
     * @throws BlobCorruptException fatal: no codec of this version has the number
     */
    public static Codec of(int code, Supplier<String> where) {
        return switch (code) {
            case 0 -> NONE;
            case 1 -> LZ4;
            case 2 -> ZSTD;
            default ->
                throw new BlobCorruptException("Cannot read " + where.get() + ": unknown codec " + code
                        + ". Upgrade the reader if a newer version wrote it.");
        };
    }
}
