package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;

/** Opens a {@link HttpPeerNetwork} with the options of the settings. Stateless. */
public final class HttpPeerNetworkProvider implements PeerNetworkProvider {
    /** Called by the service loader. */
    public HttpPeerNetworkProvider() {}

    @Override
    public PeerNetwork open(Settings settings, ShuffleMetrics metrics, Time time) {
        return new HttpPeerNetwork(PeerOptions.of(settings), metrics, time);
    }
}
