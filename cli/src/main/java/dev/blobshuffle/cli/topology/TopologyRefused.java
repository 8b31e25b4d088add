package dev.blobshuffle.cli.topology;

/** A text is no topology; the message says why, and what to give, without a full stop. */
final class TopologyRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    TopologyRefused(String message) {
        super(message);
    }
}
