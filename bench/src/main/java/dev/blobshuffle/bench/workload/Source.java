package dev.blobshuffle.bench.workload;

/** An endless input, the same for the same parameters and the same start. Owned by one thread. */
public interface Source {
    /** The next record. */
    Message next();
}
