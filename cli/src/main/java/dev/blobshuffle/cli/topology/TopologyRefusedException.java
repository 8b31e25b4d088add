package dev.blobshuffle.cli.topology;

/**
 * A text is not a topology. The message states the reason and the expected input, without a full
 * stop.
 */
final class TopologyRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TopologyRefusedException(String message) {
        super(message);
    }
}
