package dev.blobshuffle.core.internal.write.log;

/**
 * Smallest and largest timestamp of some records.
 *
 * @param min milliseconds since the Unix epoch
 * @param max milliseconds since the Unix epoch, {@code min} or later
 */
public record TimestampRange(long min, long max) {}
