package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.membership.ZoneMap;

/**
 * The other members of a shuffle, and the network to them.
 *
 * @param members the members
 * @param network connects to the members; closed with the engine
 */
public record ZonePeers(ZoneMap members, PeerNetwork network) {}
