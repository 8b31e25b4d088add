package dev.blobshuffle.core.internal.write.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of one segment, cut from a {@link PartitionLog}. The receiver releases the slices'
 * chunks.
 *
 * @param slices the records in append order, at least one slice
 * @param records number of records, 1 or more
 * @param timestamps the range of their timestamps; null: unknown, because the writer appended past
 *     the previous cut before it noticed the cut, so the records must be walked
 */
public record LogCut(
        List<Slice> slices, int records, @Nullable TimestampRange timestamps) {}
