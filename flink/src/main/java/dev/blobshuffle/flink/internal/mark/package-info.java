/** Watermarks and other elements that must not overtake records. */
@NullMarked
package dev.blobshuffle.flink.internal.mark;

import org.jspecify.annotations.NullMarked;
