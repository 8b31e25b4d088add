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
 * paper, section 3.3. It stands for the settings {@code blobshuffle.cache.zone.enabled},
 * {@code blobshuffle.cache.on.write}, {@code blobshuffle.peer.listen},
 * {@code blobshuffle.peer.advertised} and {@code blobshuffle.peer.secret.file}, and for its part of
 * {@code blobshuffle.cache.memory.bytes}. What is not given here comes from the application's
 * settings.
 *
 * @param reach how far it goes
 * @param listen {@code host:port} on which this instance answers the others
 * @param advertised {@code host:port} by which the others reach it; else that of {@code listen}
 * @param secretFile file with the secret by which instances know each other
 * @param memory this instance's part of the cache, on top of the local cache in memory
 * @param cacheOnWrite whether an instance keeps what it writes for readers in its zone
 */
public record DistributedCacheConfig(
        Reach reach,
        Optional<String> listen,
        Optional<String> advertised,
        Optional<Path> secretFile,
        Optional<ByteSize> memory,
        Optional<CacheOnWrite> cacheOnWrite) {
    /** Who shares what was read. */
    public enum Reach {
        /** None: every instance reads from the store. */
        NOBODY,
        /** The instances of a zone. */
        ZONE
    }

    /** What becomes of a blob in the cache when it is written. */
    public enum CacheOnWrite {
        /** The writer keeps it. */
        ON,
        /** Only readers put blobs into the cache. */
        OFF
    }

    /** None. */
    public static DistributedCacheConfig off() {
        return new DistributedCacheConfig(
                Reach.NOBODY, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * One for each zone. Its size, unless {@link #withMemory} gives one, is the default of the
     * setting.
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

    /** The same with a size of this instance's part: at least twice the batch size. */
    public DistributedCacheConfig withMemory(ByteSize size) {
        return new DistributedCacheConfig(reach, listen, advertised, secretFile, Optional.of(size), cacheOnWrite);
    }

    /** The same with an address by which the others reach this instance. */
    public DistributedCacheConfig withAdvertised(String address) {
        return new DistributedCacheConfig(reach, listen, Optional.of(address), secretFile, memory, cacheOnWrite);
    }

    /** The same with the paper's option to cache on write. */
    public DistributedCacheConfig withCacheOnWrite(CacheOnWrite choice) {
        return new DistributedCacheConfig(reach, listen, advertised, secretFile, memory, Optional.of(choice));
    }

    /** All but the memory, which belongs to both caches. */
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
