package dev.blobshuffle.core.cache;

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
 * @param whenReceiving whether to keep what other members of the zone sent
 */
public record CacheOptions(
        Zone zone,
        long memoryBytes,
        List<Path> diskDirectories,
        long diskBytes,
        CacheUnit unit,
        WhenWriting whenWriting,
        WhenReceiving whenReceiving) {
    /** Whether a writer keeps what it writes for its own zone. */
    public enum WhenWriting {
        /** It keeps it: readers in its zone need no request to the store. */
        KEEP,
        /** It forgets it, and loads it when somebody asks. */
        FORGET
    }

    /** Whether a reader keeps what other members of its zone sent (the BlobShuffle paper, section 3.3: a local cache before the distributed one). */
    public enum WhenReceiving {
        /** It keeps it in memory: what it reads again comes from there. */
        KEEP,
        /** It asks again: memory is for what it is asked for itself. */
        FORGET
    }

    /** Options that keep nothing of what others sent. */
    public CacheOptions(
            Zone zone,
            long memoryBytes,
            List<Path> diskDirectories,
            long diskBytes,
            CacheUnit unit,
            WhenWriting whenWriting) {
        this(zone, memoryBytes, diskDirectories, diskBytes, unit, whenWriting, WhenReceiving.FORGET);
    }

    /** Checks the sizes. */
    public CacheOptions {
        diskDirectories = List.copyOf(diskDirectories);
        if (memoryBytes < 0 || diskBytes < 0) {
            throw new IllegalArgumentException("Cannot cache in " + memoryBytes + " bytes of memory and " + diskBytes
                    + " of disk. Give 0 or more.");
        }
    }

    /** As settings say. */
    public static CacheOptions of(Settings settings) {
        return new CacheOptions(
                settings.zone(),
                settings.cacheMemory().bytes(),
                settings.value(Settings.CACHE_DISK_DIRS).stream().map(Path::of).toList(),
                settings.value(Settings.CACHE_DISK_BYTES).bytes(),
                settings.value(Settings.CACHE_UNIT),
                settings.value(Settings.CACHE_ON_WRITE) ? WhenWriting.KEEP : WhenWriting.FORGET,
                settings.value(Settings.CACHE_ZONE_KEEP) ? WhenReceiving.KEEP : WhenReceiving.FORGET);
    }

    /** No caches. */
    public static CacheOptions none() {
        return new CacheOptions(Zone.SINGLE, 0, List.of(), 0, CacheUnit.SECTION, WhenWriting.FORGET);
    }

    /** Whether there is no cache. */
    public boolean isNone() {
        return memoryBytes == 0 && diskDirectories.isEmpty();
    }

    /** Whether a section of a blob that this instance writes is worth keeping. */
    boolean keeps(Zone sectionZone) {
        return whenWriting == WhenWriting.KEEP && (sectionZone.equals(zone) || sectionZone.equals(Zone.SINGLE));
    }
}
