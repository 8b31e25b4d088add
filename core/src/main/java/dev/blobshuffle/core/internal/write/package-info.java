/**
 * The write side of the engine: records to blobs and notifications. Start at
 * {@link dev.blobshuffle.core.internal.write.Batcher}. Each step of a record's way has a room,
 * which calls the rooms of the later steps only: {@code log}, {@code seal}, {@code upload},
 * {@code deliver}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write;

import org.jspecify.annotations.NullMarked;
