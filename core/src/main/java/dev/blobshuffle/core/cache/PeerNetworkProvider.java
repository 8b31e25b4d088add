package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.time.Time;
import java.util.ServiceLoader;

/** Opens the network between the members of a zone. Found with {@link ServiceLoader}, so that it comes with its artifact. Stateless. */
public interface PeerNetworkProvider {
    /**
     * Opens a network as the settings {@code peer.*} say.
     *
     * @throws InvalidSettings fatal: they cannot work
     */
    PeerNetwork open(Settings settings, ShuffleMetrics metrics, Time time);

    /**
     * Opens the network that is on the class path.
     *
     * @throws InvalidSettings fatal: there is none, or the settings cannot work
     */
    static PeerNetwork openInstalled(Settings settings, ShuffleMetrics metrics, Time time) {
        return ServiceLoader.load(PeerNetworkProvider.class, PeerNetworkProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new InvalidSettings("Cannot use setting " + Settings.CACHE_ZONE_ENABLED
                        + ": the artifact that connects instances is not on the class path. Add dev.blobshuffle:blobshuffle-peer in the version of"
                        + " blobshuffle-core."))
                .open(settings, metrics, time);
    }
}
