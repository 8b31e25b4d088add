package dev.blobshuffle.core.store;

import java.time.Instant;

/**
 * A blob in a store's listing.
 *
 * @param id the blob
 * @param stored when it was stored, by the clock of the store and not of its writer. Stores round
 *     it down to milliseconds or seconds. Putting the blob again may renew it
 */
public record StoredBlob(BlobId id, Instant stored) {}
