package dev.blobshuffle.kstreams.differential.drawn;

import java.util.Map;

/**
 * The environment of a program.
 *
 * @param protocol of its group
 * @param instances that start before the first record
 * @param threads of each instance
 * @param membership of each instance in the group
 * @param partitions of each source topic
 * @param isCached whether stores have caches, so that only last values can be compared
 * @param handlers which exception handlers continue
 * @param hasDeadLetters whether handlers that continue send what they leave out to a topic
 * @param batching of the producers that write blobs
 */
record Setup(
        boolean isExactlyOnce,
        String protocol,
        int instances,
        int threads,
        Membership membership,
        int partitions,
        boolean isCached,
        boolean isOptimized,
        boolean isPurged,
        Continues handlers,
        boolean hasDeadLetters,
        Batching batching) {
    boolean isClassic() {
        return protocol.equals("classic");
    }

    Setup ofClassic() {
        return new Setup(
                isExactlyOnce,
                "classic",
                instances,
                threads,
                membership,
                partitions,
                isCached,
                isOptimized,
                isPurged,
                handlers,
                hasDeadLetters,
                batching);
    }

    /** Whether an instance has the same place in its group after a restart. */
    boolean isStatic() {
        return isClassic() && membership.isStatic();
    }

    /**
     * How an instance takes part in its group.
     *
     * @param standbys the copies of each store in other instances
     * @param isStatic whether its threads have fixed names; only in a classic group
     */
    record Membership(int standbys, boolean isStatic) {
        static final Membership PLAIN = new Membership(0, false);
    }

    /** Which exception handlers continue; the others fail. */
    record Continues(boolean deserialization, boolean production, boolean processing) {}

    /** When a batch becomes a blob. */
    enum Batching {
        /** After a few records. */
        SMALL(Map.of(
                "blobshuffle.batch.max.bytes", "1024",
                "blobshuffle.batch.max.delay.ms", "20",
                "blobshuffle.inline.max.bytes", "0")),
        /** By a commit. */
        LARGE(Map.of("blobshuffle.batch.max.delay.ms", "20000", "blobshuffle.inline.max.bytes", "0")),
        /** At any time. */
        EAGER(Map.of("blobshuffle.batch.max.delay.ms", "1", "blobshuffle.inline.max.bytes", "0")),
        /** Small batches are plain records. */
        INLINE(Map.of("blobshuffle.batch.max.delay.ms", "20", "blobshuffle.inline.max.bytes", "700")),
        /** Compressed, one batch per thread. */
        LANES(Map.of(
                "blobshuffle.batch.max.delay.ms", "10",
                "blobshuffle.inline.max.bytes", "0",
                "blobshuffle.batch.scope", "lane",
                "blobshuffle.compression.type", "lz4"));

        final Map<String, String> settings;

        Batching(Map<String, String> settings) {
            this.settings = settings;
        }
    }
}
