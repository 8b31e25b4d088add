package dev.blobshuffle.core.store;

import java.time.Instant;

/**
 * A blob in a store's listing.
 *
 * @param id the blob
 * @param stored the time of the put, by the clock of the store, not of the writer. Stores round it
 *     down to milliseconds or seconds. A repeated put may renew it
 */
public record StoredBlob(BlobId id, Instant stored) {}
