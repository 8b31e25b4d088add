/**
 * The read side of the engine: notifications to records, in order. Start at
 * {@link dev.blobshuffle.core.internal.read.PrefetchingDebatcher}.
 */
@NullMarked
package dev.blobshuffle.core.internal.read;

import org.jspecify.annotations.NullMarked;
