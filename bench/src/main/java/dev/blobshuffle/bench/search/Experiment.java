package dev.blobshuffle.bench.search;

import java.io.IOException;

/** Decides whether a number of resources carries a load. */
public interface Experiment {
    /**
     * Whether all service level objectives hold.
     *
     * @param load records per second, or the load's other unit
     * @param resources instances, or another unit of resources
     */
    boolean holds(long load, long resources) throws IOException, InterruptedException;
}
