package dev.blobshuffle.bench.workload;

import java.util.Optional;

/** The expected output of a run, from its input alone. Owned by one thread. */
public interface Expectation {
    /** Adds one record of the input. */
    void add(Message message);

    /** Number of records that the shuffle must output. */
    long shuffled();

    /** Bytes of their values. */
    long shuffledBytes();

    /**
     * The problem with a run; empty if there is none.
     *
     * @param observed the output of the run
     */
    Optional<String> problem(Observed observed);

    /** The difference of two numbers; empty if they are equal. */
    static Optional<String> unlessEqual(String what, long expected, long observed) {
        return expected == observed
                ? Optional.empty()
                : Optional.of(what + ": " + expected + " expected, " + observed + " found");
    }
}
