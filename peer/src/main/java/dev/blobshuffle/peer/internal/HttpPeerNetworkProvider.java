package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import java.util.function.Consumer;

/** Opens a {@link HttpPeerNetwork} with the options of the settings. Stateless. */
public final class HttpPeerNetworkProvider implements PeerNetworkProvider {
    /** Called by the service loader. */
    public HttpPeerNetworkProvider() {}

    @Override
    public PeerNetwork open(Settings settings, ShuffleMetrics metrics, Time time) {
        Consumer<PeerSecrets.Outcome> onCheck = outcome -> metrics.add(
                outcome == PeerSecrets.Outcome.CHANGED ? Counter.PEER_SECRET_CHANGES : Counter.PEER_SECRET_FAILURES, 1);
        return new HttpPeerNetwork(PeerOptions.of(settings, time, onCheck), metrics, time);
    }
}
