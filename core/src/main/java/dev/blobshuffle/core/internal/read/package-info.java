/**
 * The read side of the engine, which turns notifications into records, in order. Start at {@link
 * dev.blobshuffle.core.internal.read.PrefetchingDebatcher}.
 */
@NullMarked
package dev.blobshuffle.core.internal.read;

import org.jspecify.annotations.NullMarked;
