package dev.blobshuffle.kstreams.differential;

import org.jspecify.annotations.Nullable;

/**
 * One record of a run's result.
 *
 * @param key the key
 * @param value the value; null deletes
 * @param timestamp milliseconds
 * @param headers all headers as text
 */
public record Row(String key, @Nullable String value, long timestamp, String headers) {}
