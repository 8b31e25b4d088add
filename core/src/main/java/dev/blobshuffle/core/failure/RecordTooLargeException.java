package dev.blobshuffle.core.failure;

/**
 * A record is larger than {@code blobshuffle.record.max.bytes} or the write buffer. Nothing else is
 * affected: send a smaller record, raise the limit, or leave the record out.
 */
public final class RecordTooLargeException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public RecordTooLargeException(String message) {
        super(message, null);
    }
}
