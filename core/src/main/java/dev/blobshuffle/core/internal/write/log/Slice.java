package dev.blobshuffle.core.internal.write.log;

/**
 * The records of a sealed segment that lie in one chunk. Holds a reference to the chunk, which its
 * owner releases.
 *
 * @param offset start in the chunk, bytes
 * @param length bytes, 1 or more
 * @param records number of records, 1 or more
 * @param baseTimestamp the base of the first record's timestamp delta: the timestamp of the record
 *     before it in the output's log, milliseconds
 */
public record Slice(Chunk chunk, int offset, int length, int records, long baseTimestamp) {}
