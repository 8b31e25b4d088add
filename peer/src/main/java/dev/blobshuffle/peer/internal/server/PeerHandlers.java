package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.combine.Hub;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of a server that answer requests besides those for blobs. They may begin after the
 * server.
 *
 * @param pages the pages of logs; empty: none
 * @param hub takes parts; empty: this member is no hub
 */
public record PeerHandlers(Supplier<Optional<PeerPages>> pages, Supplier<Optional<Hub>> hub) {}
