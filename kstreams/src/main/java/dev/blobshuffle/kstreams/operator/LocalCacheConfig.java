package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The cache of an instance: the local cache of the BlobShuffle paper, section 3.3. It covers the
 * settings {@code blobshuffle.cache.memory.bytes}, {@code blobshuffle.cache.disk.dirs} and
 * {@code blobshuffle.cache.disk.bytes}.
 *
 * @param memory size of the part in memory; 0 for none
 * @param directories of the part on disk; empty for none
 * @param disk size of the part on disk; 0 if there are no directories
 */
public record LocalCacheConfig(ByteSize memory, List<Path> directories, ByteSize disk) {
    private static final ByteSize NONE = new ByteSize(0);

    /** Checks that directories and their size come together. */
    public LocalCacheConfig {
        directories = List.copyOf(directories);
        if (directories.isEmpty() != disk.equals(NONE)) {
            throw new IllegalArgumentException("Cannot cache on disk: " + directories.size() + " directories and "
                    + disk + ". Give both, or neither.");
        }
    }

    /** No local cache. */
    public static LocalCacheConfig off() {
        return new LocalCacheConfig(NONE, List.of(), NONE);
    }

    /** A cache in memory. */
    public static LocalCacheConfig inMemory(ByteSize size) {
        return new LocalCacheConfig(size, List.of(), NONE);
    }

    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(CacheSettings.MEMORY_BYTES.name(), memory);
        if (!directories.isEmpty()) {
            settings.put(
                    CacheSettings.DISK_DIRS.name(),
                    directories.stream().map(Path::toString).collect(Collectors.joining(",")));
            settings.put(CacheSettings.DISK_BYTES.name(), disk);
        }
        return settings;
    }
}
