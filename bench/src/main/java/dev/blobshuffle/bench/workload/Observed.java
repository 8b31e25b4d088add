package dev.blobshuffle.bench.workload;

import java.util.function.BiConsumer;

/** What came out of a run, for its check. */
public interface Observed {
    /** Names of the run's topics. */
    Topics topics();

    /** Records after the shuffle. */
    long count();

    /** The sum of their checksums. */
    long checksum();

    /** Updates that windows had dropped because they came late. */
    long dropped();

    /**
     * Hands out keys and values of everything that was committed to a topic, in order per
     * partition; the value of a tombstone is empty.
     */
    void read(String topic, BiConsumer<byte[], byte[]> receiver);
}
