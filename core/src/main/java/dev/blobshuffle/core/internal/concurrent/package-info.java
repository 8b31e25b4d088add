/** Futures of several parts. */
@NullMarked
package dev.blobshuffle.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
