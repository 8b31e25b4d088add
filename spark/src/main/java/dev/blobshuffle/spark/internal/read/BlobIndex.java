package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.store.BlobId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Where each attempt's partitions are in a blob, by its footer: 28 bytes per segment. It finds
 * segments by attempt only, so a reader never gets those of an attempt that the driver did not
 * choose. Immutable.
 */
final class BlobIndex {
    private static final int BYTES_PER_SEGMENT = 28;
    private static final int BYTES_PER_MAP = 64;

    private final BlobId blob;
    private final Map<Long, Integer> attempts = new HashMap<>();

    /** Of each segment, ascending: its partition and the index of its attempt. */
    private final long[] keys;

    private final long[] offsets;
    private final long[] lengths;
    private final int[] checksums;

    BlobIndex(Container container) {
        blob = container.id();
        List<Container.Segment> segments = container.segments();
        keys = new long[segments.size()];
        offsets = new long[keys.length];
        lengths = new long[keys.length];
        checksums = new int[keys.length];
        // Indices ascend in the order of the maps, as segments of a partition do.
        segments.stream()
                .map(segment -> segment.origin().orElseThrow(() -> corrupt("a segment names no map")))
                .distinct()
                .sorted((a, b) ->
                        a.map() != b.map() ? Long.compare(a.map(), b.map()) : Long.compare(a.attempt(), b.attempt()))
                .forEach(origin -> attempts.put(origin.attempt(), attempts.size()));
        for (int i = 0; i < keys.length; i++) {
            Container.Segment segment = segments.get(i);
            keys[i] = key(
                    segment.partition(),
                    attempts.getOrDefault(segment.origin().orElseThrow().attempt(), 0));
            offsets[i] = segment.offset();
            lengths[i] = segment.length();
            checksums[i] = segment.checksum();
            if (i > 0 && keys[i] <= keys[i - 1]) {
                throw corrupt("its segments are not in order");
            }
        }
    }

    private static long key(int partition, int attempt) {
        return (long) partition << 32 | attempt;
    }

    /** The segment of a partition; empty if the attempt wrote nothing there. */
    OptionalInt segment(long attempt, int partition) {
        Integer index = attempts.get(attempt);
        if (index == null) {
            throw corrupt("it holds no output of attempt " + attempt);
        }
        int found = java.util.Arrays.binarySearch(keys, key(partition, index));
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    long offset(int segment) {
        return offsets[segment];
    }

    long length(int segment) {
        return lengths[segment];
    }

    long end(int segment) {
        return offsets[segment] + lengths[segment];
    }

    /**
     * Compares a segment's checksum.
     *
     * @throws BlobCorruptException the bytes are not those that were written
     */
    void requireChecksum(int segment, int actual) {
        if (actual != checksums[segment]) {
            throw corrupt(String.format(
                    "the checksum of [%d, +%d) is %08x, and the footer says %08x",
                    offsets[segment], lengths[segment], actual, checksums[segment]));
        }
    }

    /** About what it takes in memory, bytes. */
    long weight() {
        return 256L + (long) BYTES_PER_SEGMENT * keys.length + (long) BYTES_PER_MAP * attempts.size();
    }

    private BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read shuffle blob " + blob + ": " + reason + ". Spark runs its maps again.");
    }
}
