package dev.blobshuffle.core.internal.write.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was cut off a {@link PartitionLog}: the records of one segment. Whoever takes it releases
 * the slices' chunks.
 *
 * @param slices the records in append order, at least one slice
 * @param records number of records, 1 or more
 * @param timestamps their timestamps; null: the writer appended past the previous cut before it saw
 *     it, so the records must be walked
 */
public record LogCut(
        List<Slice> slices, int records, @Nullable TimestampRange timestamps) {}
