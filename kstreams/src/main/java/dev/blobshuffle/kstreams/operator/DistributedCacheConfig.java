package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.settings.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cache that the instances of a zone form together: the distributed cache of the BlobShuffle paper, section 3.3. It stands for the settings
 * {@code blobshuffle.cache.zone.enabled}, {@code blobshuffle.peer.listen} and {@code blobshuffle.peer.secret.file}.
 *
 * @param reach how far it goes
 * @param listen {@code host:port} on which this instance answers the others; from the application's settings if empty
 * @param secretFile file with the secret by which instances know each other; from the application's settings if empty
 */
public record DistributedCacheConfig(Reach reach, Optional<String> listen, Optional<Path> secretFile) {
    /** Who shares what was read. */
    public enum Reach {
        /** Nobody: every instance reads from the store. */
        NOBODY,
        /** The instances of a zone. */
        ZONE
    }

    /** None. */
    public static DistributedCacheConfig off() {
        return new DistributedCacheConfig(Reach.NOBODY, Optional.empty(), Optional.empty());
    }

    /** One for each zone. */
    public static DistributedCacheConfig perZone(String listen, Path secretFile) {
        return new DistributedCacheConfig(Reach.ZONE, Optional.of(listen), Optional.of(secretFile));
    }

    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(Settings.CACHE_ZONE_ENABLED.name(), reach == Reach.ZONE);
        listen.ifPresent(address -> settings.put(Settings.PEER_LISTEN.name(), address));
        secretFile.ifPresent(file -> settings.put(Settings.PEER_SECRET_FILE.name(), file.toString()));
        return settings;
    }
}
