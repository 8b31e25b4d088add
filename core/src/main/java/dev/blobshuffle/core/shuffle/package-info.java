/**
 * The contracts of the engine: what a front door gives (a channel per lane) and takes (lanes and Debatchers). The write side is
 * {@code core.write}, the read side {@code core.read}, and {@code core.engine} puts them together.
 */
@NullMarked
package dev.blobshuffle.core.shuffle;

import org.jspecify.annotations.NullMarked;
