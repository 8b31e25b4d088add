package dev.blobshuffle.cli.plan;

/** There is no plan; the message says why, and what to do. */
final class PlanFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    PlanFailed(String message) {
        super(message);
    }

    PlanFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
