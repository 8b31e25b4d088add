package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.core.time.Time;

/**
 * What reads copies from their store, apart from what reads directories: a slow store delays only
 * those who read copies.
 *
 * @param workers wait for the store
 * @param memory has what was read and not yet sent
 */
record CopyReaders(Time.Workers workers, MemoryBudget memory) {}
