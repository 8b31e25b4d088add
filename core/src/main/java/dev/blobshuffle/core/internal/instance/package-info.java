/**
 * The parts of a shuffle's instance, the same for every front door: {@link
 * dev.blobshuffle.core.internal.instance.ShuffleInstance}.
 */
@NullMarked
package dev.blobshuffle.core.internal.instance;

import org.jspecify.annotations.NullMarked;
