package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.settings.CacheUnit;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.List;

/**
 * How an instance caches.
 *
 * @param zone the zone of the instance: when it writes, it keeps what is for readers there
 * @param memoryBytes most bytes in memory; 0 for no cache in memory
 * @param diskDirectories where to cache on disk; empty for no cache on disk
 * @param diskBytes most bytes on disk, over all directories
 * @param unit what is loaded at once
 * @param whenWriting whether to keep what is written
 */
public record CacheOptions(
        Zone zone,
        long memoryBytes,
        List<Path> diskDirectories,
        long diskBytes,
        CacheUnit unit,
        WhenWriting whenWriting) {
    /** Enough for the sections of some blobs of the usual size. */
    private static final ByteSize USUAL_MEMORY = ByteSize.ofMebibytes(128);

    /** Whether a writer keeps what it writes for its own zone. */
    public enum WhenWriting {
        /** It keeps it: readers in its zone need no request to the store. */
        KEEP,
        /** It forgets it, and loads it when somebody asks. */
        FORGET
    }

    /** Checks the sizes. */
    public CacheOptions {
        diskDirectories = List.copyOf(diskDirectories);
        if (memoryBytes < 0 || diskBytes < 0) {
            throw new IllegalArgumentException(
                    "Cannot cache in " + memoryBytes + " bytes of memory and " + diskBytes + " of disk. Give 0 or more.");
        }
    }

    /** As settings say. */
    public static CacheOptions of(Settings settings) {
        List<Path> directories =
                settings.value(Settings.CACHE_DISK_DIRS).stream().map(Path::of).toList();
        ByteSize memory = settings.value(Settings.CACHE_MEMORY_BYTES);
        boolean isMemoryNeeded = !directories.isEmpty() || settings.value(Settings.CACHE_ZONE_ENABLED);
        if (isMemoryNeeded && !settings.isGiven(Settings.CACHE_MEMORY_BYTES)) {
            memory = USUAL_MEMORY;
        }
        return new CacheOptions(
                settings.zone(),
                memory.bytes(),
                directories,
                settings.value(Settings.CACHE_DISK_BYTES).bytes(),
                settings.value(Settings.CACHE_UNIT),
                settings.value(Settings.CACHE_ON_WRITE) ? WhenWriting.KEEP : WhenWriting.FORGET);
    }

    /** Whether a section of a blob that this instance writes is worth keeping. */
    boolean keeps(Zone sectionZone) {
        return whenWriting == WhenWriting.KEEP && (sectionZone.equals(zone) || sectionZone.equals(Zone.SINGLE));
    }
}
