/** Combined futures, and reference counts. */
@NullMarked
package dev.blobshuffle.core.internal.concurrent;

import org.jspecify.annotations.NullMarked;
