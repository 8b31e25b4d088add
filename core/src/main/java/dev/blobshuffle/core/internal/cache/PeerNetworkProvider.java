package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.InstalledProviders;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;

/**
 * Opens the network between the members of a zone. {@link ServiceLoader} finds it in the artifact
 * that provides it. Stateless.
 */
public interface PeerNetworkProvider {
    /**
     * Opens a network with the settings {@code peer.*}.
     *
     * @throws InvalidSettingsException fatal: the settings are invalid
     */
    PeerNetwork open(Settings settings, ShuffleMetrics metrics, Time time);

    /**
     * Opens the network that is on the class path.
     *
     * @throws InvalidSettingsException fatal: there is none, or the settings are invalid
     */
    static PeerNetwork openInstalled(Settings settings, ShuffleMetrics metrics, Time time) {
        return InstalledProviders.of(PeerNetworkProvider.class).stream()
                .findFirst()
                .orElseThrow(() -> new InvalidSettingsException("Cannot use setting " + CacheSettings.ZONE_ENABLED
                        + ": "
                        + InstalledProviders.missing(PeerNetworkProvider.class, "dev.blobshuffle:blobshuffle-peer")))
                .open(settings, metrics, time);
    }
}
