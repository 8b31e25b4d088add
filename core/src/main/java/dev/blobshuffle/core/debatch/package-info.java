/** The read side of the engine: notifications to records, in order. Start at {@link dev.blobshuffle.core.debatch.PrefetchingDebatcher}. */
@NullMarked
package dev.blobshuffle.core.debatch;

import org.jspecify.annotations.NullMarked;
