package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.core.time.Time;

/**
 * The resources of reads from a store of copies. They are separate from those of reads from
 * directories, so a slow store delays only readers of copies.
 *
 * @param workers threads that wait for the store
 * @param memory budget of the bytes that were read and not sent yet
 */
public record CopyReaders(Time.Workers workers, MemoryBudget memory) {}
