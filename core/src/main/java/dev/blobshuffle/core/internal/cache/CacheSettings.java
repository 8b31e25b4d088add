package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.List;

/** The settings of the caches of an instance and of its zone. */
public final class CacheSettings implements SettingGroup {
    /** Cache in memory. */
    public static final Setting<ByteSize> MEMORY_BYTES = Setting.size(
            "cache.memory.bytes",
            new ByteSize(0),
            new ByteSize(0),
            "Memory of an instance for sections of blobs that it or its zone may read again. 0 disables "
                    + "the cache. The default is 128 MiB if `cache.disk.dirs` or `cache.zone.enabled` is set.");

    /** Cache on disk. */
    public static final Setting<List<String>> DISK_DIRS = Setting.words(
            "cache.disk.dirs",
            "directories, separated by commas",
            "Local directories, one per disk, where the instance caches sections of blobs across "
                    + "restarts. Instances must not share a directory.");

    /** Size of the cache on disk. */
    public static final Setting<ByteSize> DISK_BYTES = Setting.size(
            "cache.disk.bytes",
            new ByteSize(1),
            ByteSize.ofMebibytes(10 << 10),
            "Maximum size of the cache on disk, split evenly between its directories.");

    /** Cache of the zone. */
    public static final Setting<Boolean> ZONE_ENABLED = Setting.flag(
            "cache.zone.enabled",
            false,
            "Whether the instances of a zone share their caches, so that each section is downloaded "
                    + "once per zone. Requires the artifact `blobshuffle-peer`; an instance answers others "
                    + "if `peer.listen` is set.");

    /** Local cache before the zone's. */
    public static final Setting<Boolean> ZONE_KEEP = Setting.flag(
            "cache.zone.keep",
            false,
            "Whether an instance also caches in its own memory the data that other instances of its "
                    + "zone sent, and requests whole units (`cache.unit`) from them. Enable it if instances read "
                    + "the same data more than once. Otherwise a zone caches each section once.");

    /** Standalone caches. */
    public static final Setting<List<String>> ZONE_MEMBERS = Setting.words(
            "cache.zone.members",
            "zone=host:port, separated by commas",
            "Standalone caches (`blobshuffle cache`) of all zones.");

    /** Cache on write. */
    public static final Setting<Boolean> ON_WRITE = Setting.flag(
            "cache.on.write",
            true,
            "Whether an instance with a cache also caches the sections that it writes for readers in "
                    + "its own zone.");

    /** Unit of loading. */
    public static final Setting<CacheUnit> UNIT = Setting.choice(
            "cache.unit",
            CacheUnit.SECTION,
            "Unit that a cache loads: the whole section of its zone in one request, or each segment on " + "demand.");

    @Override
    public String title() {
        return "Caches";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(MEMORY_BYTES, DISK_DIRS, DISK_BYTES, ZONE_ENABLED, ZONE_KEEP, ZONE_MEMBERS, ON_WRITE, UNIT);
    }

    /** Enough for the sections of some blobs of the usual size. */
    private static final ByteSize USUAL_MEMORY = ByteSize.ofMebibytes(128);

    /** Memory for caching: the setting or, if it is not set, what the other caches need. */
    public static ByteSize memory(Settings settings) {
        return isNeeded(settings) && !settings.isGiven(MEMORY_BYTES) ? USUAL_MEMORY : settings.value(MEMORY_BYTES);
    }

    /** Whether anything is cached. */
    public static boolean isUsed(Settings settings) {
        return isNeeded(settings) || memory(settings).bytes() > 0;
    }

    private static boolean isNeeded(Settings settings) {
        return settings.value(ZONE_ENABLED) || !settings.value(DISK_DIRS).isEmpty();
    }
}
