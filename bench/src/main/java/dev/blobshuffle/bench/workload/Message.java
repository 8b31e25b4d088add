package dev.blobshuffle.bench.workload;

import org.jspecify.annotations.Nullable;

/**
 * One record of an input.
 *
 * @param key none, where the input has no keys
 * @param value at least 8 bytes
 * @param timestamp milliseconds
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way to a producer, never compared
public record Message(byte @Nullable [] key, byte[] value, long timestamp) {}
