package dev.blobshuffle.bench.search;

import java.io.IOException;

/** Says whether so many resources carry a load. */
public interface Experiment {
    /**
     * Whether all service level objectives hold.
     *
     * @param load records per second, or whatever load means
     * @param resources instances, or whatever resources mean
     */
    boolean holds(long load, long resources) throws IOException, InterruptedException;
}
