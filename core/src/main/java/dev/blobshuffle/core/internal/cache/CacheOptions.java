package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.List;

/**
 * The options of an instance's caches.
 *
 * @param zone the zone of the instance; a writer caches the sections for readers of this zone
 * @param memoryBytes most bytes in memory; 0 for no cache in memory
 * @param diskDirectories where to cache on disk; empty for no cache on disk
 * @param diskBytes most bytes on disk, over all directories
 * @param unit the unit that one request loads
 * @param whenWriting whether to keep written sections
 * @param whenReceiving whether to keep bytes that other members of the zone sent
 */
public record CacheOptions(
        Zone zone,
        long memoryBytes,
        List<Path> diskDirectories,
        long diskBytes,
        CacheUnit unit,
        WhenWriting whenWriting,
        WhenReceiving whenReceiving) {
    /** Whether a writer caches the sections that it writes for its own zone. */
    public enum WhenWriting {
        /** The writer keeps them, so readers in its zone need no request to the store. */
        KEEP,
        /** The writer does not keep them; the first read loads them from the store. */
        FORGET
    }

    /**
     * Whether a reader caches bytes that other members of its zone sent (the BlobShuffle paper,
     * section 3.3: a local cache before the distributed one).
     */
    public enum WhenReceiving {
        /** The reader keeps them in memory and serves repeated reads from there. */
        KEEP,
        /** The reader asks again; its memory holds only sections that it serves to others. */
        FORGET
    }

    /** Options that do not keep bytes from other members. */
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

    /** The options that the settings define. */
    public static CacheOptions of(Settings settings) {
        return new CacheOptions(
                settings.zone(),
                CacheSettings.memory(settings).bytes(),
                settings.value(CacheSettings.DISK_DIRS).stream().map(Path::of).toList(),
                settings.value(CacheSettings.DISK_BYTES).bytes(),
                settings.value(CacheSettings.UNIT),
                settings.value(CacheSettings.ON_WRITE) ? WhenWriting.KEEP : WhenWriting.FORGET,
                settings.value(CacheSettings.ZONE_KEEP) ? WhenReceiving.KEEP : WhenReceiving.FORGET);
    }

    /** No caches. */
    public static CacheOptions none() {
        return new CacheOptions(Zone.SINGLE, 0, List.of(), 0, CacheUnit.SECTION, WhenWriting.FORGET);
    }

    /** Whether there is no cache. */
    public boolean isNone() {
        return memoryBytes == 0 && diskDirectories.isEmpty();
    }

    /** Whether this instance keeps a section that it writes. */
    boolean keeps(Zone sectionZone) {
        return whenWriting == WhenWriting.KEEP && (sectionZone.equals(zone) || sectionZone.equals(Zone.SINGLE));
    }
}
