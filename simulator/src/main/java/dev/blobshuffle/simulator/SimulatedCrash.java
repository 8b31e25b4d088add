package dev.blobshuffle.simulator;

/**
 * Thrown out of the yield point of a killed actor or task, and out of each later one: what its code
 * does in {@code finally} blocks still runs, but waits for nothing. An {@link Error}, so that the
 * code under test does not take it for a failure that it may handle.
 */
public final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedCrash(String who) {
        super(who + " was killed by the simulation", null, false, false);
    }
}
