/**
 * What an instance of a shuffle is, whatever front door it has:
 * {@link dev.blobshuffle.core.internal.instance.ShuffleInstance}.
 */
@NullMarked
package dev.blobshuffle.core.internal.instance;

import org.jspecify.annotations.NullMarked;
