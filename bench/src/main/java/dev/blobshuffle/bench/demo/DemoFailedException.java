package dev.blobshuffle.bench.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot go on; the message is for its user. */
public final class DemoFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A failure with a message for the user. */
    public DemoFailedException(String message) {
        super(message);
    }

    /** As above, with a cause. */
    public DemoFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
