package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The clocks of a store's directories. A file server dates its files, so two directories may have
 * two clocks. The store's clock is that of the directory of the registers, and the times of other
 * directories are converted to it. Thread-safe.
 */
final class DirectoryClocks {
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Time time;
    private final Map<BlobDirectory, Difference> differences = new ConcurrentHashMap<>();

    private record Difference(BlobDirectory reference, Duration behind, long measuredNanos) {}

    DirectoryClocks(Time time) {
        this.time = time;
    }

    /**
     * How far a directory's clock is behind that of another; negative if it is ahead. Measured once
     * a minute, with three files.
     */
    Duration behind(BlobDirectory directory, BlobDirectory reference) throws IOException {
        if (directory == reference) {
            return Duration.ZERO;
        }
        Difference known = differences.get(directory);
        if (known == null || known.reference != reference || time.nanos() - known.measuredNanos > VALID_NANOS) {
            known = new Difference(reference, measure(directory, reference), time.nanos());
            differences.put(directory, known);
        }
        return known.behind;
    }

    /** Of the differences that the readings allow, the one that makes blobs youngest. */
    private static Duration measure(BlobDirectory directory, BlobDirectory reference) throws IOException {
        Instant before = reference.now();
        Instant there = directory.now();
        Instant after = reference.now();
        boolean isSame = !there.isBefore(before) && !there.isAfter(after);
        return isSame ? Duration.ZERO : Duration.between(there, after);
    }
}
