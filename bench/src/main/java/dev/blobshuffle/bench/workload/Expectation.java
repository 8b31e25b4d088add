package dev.blobshuffle.bench.workload;

import java.util.Optional;

/** What must come out of a run, from its input alone. Owned by one thread. */
public interface Expectation {
    /** Takes one record of the input. */
    void add(Message message);

    /** Records that must come out of the shuffle. */
    long shuffled();

    /** Bytes of their values. */
    long shuffledBytes();

    /**
     * What is wrong with a run; empty if nothing is.
     *
     * @param observed what came out of it
     */
    Optional<String> problem(Observed observed);

    /** How two numbers differ, if they do. */
    static Optional<String> unlessEqual(String what, long expected, long observed) {
        return expected == observed
                ? Optional.empty()
                : Optional.of(what + ": " + expected + " expected, " + observed + " found");
    }
}
