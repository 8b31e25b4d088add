package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;

/** The kind of content in a blob's segments ({@code docs/format.md}, "Blob"). */
public enum ContentKind {
    /** Records in frames, written by the streaming front doors. The footer is a {@link Footer}. */
    RECORDS(0, "records"),
    /** Messages of an Arrow IPC stream. The footer is a {@link Container}. */
    ARROW(1, "Arrow IPC"),
    /** Bytes that only the writing engine understands. The footer is a {@link Container}. */
    OPAQUE(2, "opaque bytes");

    private final int code;
    private final String label;

    ContentKind(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /** The kind's number in the trailer. */
    public int code() {
        return code;
    }

    /** The kind's name for messages. */
    public String label() {
        return label;
    }

    /**
     * The kind with a number.
     *
     * @throws BlobCorruptException fatal: this version does not know the kind
     */
    static ContentKind of(int code) {
        return switch (code) {
            case 0 -> RECORDS;
            case 1 -> ARROW;
            case 2 -> OPAQUE;
            default ->
                throw new BlobCorruptException("Cannot read a blob: its content kind is " + code
                        + ", this reader knows up to " + OPAQUE.code + ". Upgrade the reader.");
        };
    }
}
