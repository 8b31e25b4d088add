package dev.blobshuffle.cli.plan;

/** No plan is possible. The message states the reason and the remedy. */
final class PlanFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    PlanFailed(String message) {
        super(message);
    }

    PlanFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
