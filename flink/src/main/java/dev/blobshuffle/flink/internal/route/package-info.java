/** How references get to the subtask that owns their keys. */
@NullMarked
package dev.blobshuffle.flink.internal.route;

import org.jspecify.annotations.NullMarked;
