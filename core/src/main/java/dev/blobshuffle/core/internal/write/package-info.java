/**
 * The write side of the engine, which turns records into blobs and notifications. Start at {@link
 * dev.blobshuffle.core.internal.write.Batcher}. Each step on the path of a record has a package:
 * {@code log}, {@code seal}, {@code upload}, {@code deliver}. A package calls only those of later
 * steps.
 */
@NullMarked
package dev.blobshuffle.core.internal.write;

import org.jspecify.annotations.NullMarked;
