package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.membership.ZoneMap;

/**
 * The other members of a shuffle, and the way to them.
 *
 * @param members who they are
 * @param network connects to them; closed with the engine
 */
public record ZonePeers(ZoneMap members, PeerNetwork network) {}
