package dev.blobshuffle.simulator;

/**
 * Thrown out of the yield point of a killed actor or task, and out of each later one. The {@code
 * finally} blocks of its code still run, but do not wait. It is an {@link Error}, so that the code
 * under test does not handle it as an ordinary failure.
 */
public final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedCrash(String who) {
        super(who + " was killed by the simulation", null, false, false);
    }
}
