package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clocks of a store's directories. A file server dates its files, so two directories may have
 * two clocks. The store's clock is that of the directory of the registers, and the times of other
 * directories are converted to it. Thread-safe.
 */
final class DirectoryClocks {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryClocks.class);
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Time time;
    private final Map<BlobDirectory, Difference> differences = new ConcurrentHashMap<>();

    /** The last measurement; empty if a clock could not be read. */
    private record Difference(BlobDirectory reference, Optional<Duration> behind, long measuredNanos) {}

    DirectoryClocks(Time time) {
        this.time = time;
    }

    /**
     * Converts the times of a directory's files to the clock of another directory. If one of the
     * two is not writable, its clock cannot be read, and each file counts as just written. So no
     * blob appears older than it is, and a read-only process can list.
     */
    UnaryOperator<Instant> conversion(BlobDirectory directory, BlobDirectory reference) {
        if (directory == reference) {
            return stored -> stored;
        }
        Optional<Duration> behind = behind(directory, reference);
        Instant now = Instant.ofEpochMilli(time.wallMillis());
        return stored -> behind.map(stored::plus).orElse(now);
    }

    /**
     * How far a directory's clock is behind that of another; negative if it is ahead. Measured once
     * a minute, with three files.
     */
    private Optional<Duration> behind(BlobDirectory directory, BlobDirectory reference) {
        Difference known = differences.get(directory);
        if (known == null || known.reference != reference || time.nanos() - known.measuredNanos > VALID_NANOS) {
            known = new Difference(reference, measured(directory, reference), time.nanos());
            differences.put(directory, known);
        }
        return known.behind;
    }

    private static Optional<Duration> measured(BlobDirectory directory, BlobDirectory reference) {
        try {
            return Optional.of(measure(directory, reference));
        } catch (IOException e) {
            LOG.warn(
                    "The clocks of {} and {} cannot be compared: {}. Blobs in {} count as just stored, so no sweep deletes"
                            + " them. Make both directories writable for a process that sweeps.",
                    directory,
                    reference,
                    e.toString(),
                    directory);
            return Optional.empty();
        }
    }

    /**
     * The clock difference. Of the values that the readings allow, it is the one that makes blobs
     * appear youngest.
     */
    private static Duration measure(BlobDirectory directory, BlobDirectory reference) throws IOException {
        Instant before = reference.now();
        Instant there = directory.now();
        Instant after = reference.now();
        boolean isSame = !there.isBefore(before) && !there.isAfter(after);
        return isSame ? Duration.ZERO : Duration.between(there, after);
    }
}
