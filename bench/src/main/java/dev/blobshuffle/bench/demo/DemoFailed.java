package dev.blobshuffle.bench.demo;

import org.jspecify.annotations.Nullable;

/** The demo cannot go on; the message is for its user. */
final class DemoFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    DemoFailed(String message) {
        super(message);
    }

    DemoFailed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
