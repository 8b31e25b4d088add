package dev.blobshuffle.core.store;

import java.time.Instant;

/**
 * The value of a register at the time of a read.
 *
 * @param version the store's version of this value; another value has another version
 * @param text the value
 * @param stored when it was written, by the clock that also gives {@link StoredBlob#stored()}
 */
public record Register(String version, String text, Instant stored) {}
