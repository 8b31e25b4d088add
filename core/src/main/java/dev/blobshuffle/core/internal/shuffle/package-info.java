/**
 * The contracts between the engine and front doors. A front door provides a channel per lane, and
 * uses lanes and Debatchers. The write side is {@code core.write}, the read side {@code core.read},
 * and {@code core.engine} combines them.
 */
@NullMarked
package dev.blobshuffle.core.internal.shuffle;

import org.jspecify.annotations.NullMarked;
