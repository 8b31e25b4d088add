package dev.blobshuffle.cli.plan;

/** No plan is possible. The message states the reason and the remedy. */
final class PlanFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PlanFailedException(String message) {
        super(message);
    }

    PlanFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
