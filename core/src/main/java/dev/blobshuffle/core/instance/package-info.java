/**
 * What an instance of a shuffle is, whatever front door it has:
 * {@link dev.blobshuffle.core.instance.ShuffleInstance}.
 */
@NullMarked
package dev.blobshuffle.core.instance;

import org.jspecify.annotations.NullMarked;
