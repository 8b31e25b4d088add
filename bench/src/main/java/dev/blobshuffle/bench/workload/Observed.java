package dev.blobshuffle.bench.workload;

import java.util.function.BiConsumer;

/** The output of a run, for its check. */
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
     * Passes keys and values of all records committed to a topic to the receiver, in order per
     * partition. The value of a tombstone is empty.
     */
    void read(String topic, BiConsumer<byte[], byte[]> receiver);
}
