/** Which subtasks are near each other, so that records between them need no blob. */
@NullMarked
package dev.blobshuffle.flink.internal.zone;

import org.jspecify.annotations.NullMarked;
