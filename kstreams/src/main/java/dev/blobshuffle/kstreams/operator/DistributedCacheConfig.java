package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cache that the instances of a zone form together: the distributed cache of the BlobShuffle
 * paper, section 3.3. It covers the settings {@code blobshuffle.cache.zone.enabled},
 * {@code blobshuffle.cache.on.write}, {@code blobshuffle.peer.listen},
 * {@code blobshuffle.peer.advertised} and {@code blobshuffle.peer.secret.file}, and a part of
 * {@code blobshuffle.cache.memory.bytes}. Values that are not set here come from the application's
 * settings.
 *
 * @param reach the instances that share the cache
 * @param listen {@code host:port} on which this instance serves others
 * @param advertised {@code host:port} at which others reach it; by default that of {@code listen}
 * @param secretFile file with the secret that authenticates instances to each other
 * @param memory this instance's part of the cache, in addition to the local cache in memory
 * @param cacheOnWrite whether an instance keeps the blobs that it writes for readers in its zone
 */
public record DistributedCacheConfig(
        Reach reach,
        Optional<String> listen,
        Optional<String> advertised,
        Optional<Path> secretFile,
        Optional<ByteSize> memory,
        Optional<CacheOnWrite> cacheOnWrite) {
    /** The instances that share the cache. */
    public enum Reach {
        /** No instances: every instance reads from the store. */
        NONE,
        /** The instances of a zone. */
        ZONE
    }

    /** Whether blobs enter the cache when they are written. */
    public enum CacheOnWrite {
        /** The writer keeps its blobs. */
        ON,
        /** Only readers put blobs into the cache. */
        OFF
    }

    /** No distributed cache. */
    public static DistributedCacheConfig off() {
        return new DistributedCacheConfig(
                Reach.NONE, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * One cache for each zone. Its size is the setting's default, unless {@link #withMemory} sets
     * one.
     */
    public static DistributedCacheConfig perZone(String listen, Path secretFile) {
        return new DistributedCacheConfig(
                Reach.ZONE,
                Optional.of(listen),
                Optional.empty(),
                Optional.of(secretFile),
                Optional.empty(),
                Optional.empty());
    }

    /** A copy with the size of this instance's part: at least twice the batch size. */
    public DistributedCacheConfig withMemory(ByteSize size) {
        return new DistributedCacheConfig(reach, listen, advertised, secretFile, Optional.of(size), cacheOnWrite);
    }

    /** A copy with the address at which others reach this instance. */
    public DistributedCacheConfig withAdvertised(String address) {
        return new DistributedCacheConfig(reach, listen, Optional.of(address), secretFile, memory, cacheOnWrite);
    }

    /** A copy with the paper's cache-on-write option. */
    public DistributedCacheConfig withCacheOnWrite(CacheOnWrite choice) {
        return new DistributedCacheConfig(reach, listen, advertised, secretFile, memory, Optional.of(choice));
    }

    /** All settings but the memory, which both caches share. */
    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(CacheSettings.ZONE_ENABLED.name(), reach == Reach.ZONE);
        listen.ifPresent(address -> settings.put(PeerSettings.LISTEN.name(), address));
        advertised.ifPresent(address -> settings.put(PeerSettings.ADVERTISED.name(), address));
        secretFile.ifPresent(file -> settings.put(PeerSettings.SECRET_FILE.name(), file.toString()));
        cacheOnWrite.ifPresent(choice -> settings.put(CacheSettings.ON_WRITE.name(), choice == CacheOnWrite.ON));
        return settings;
    }
}
