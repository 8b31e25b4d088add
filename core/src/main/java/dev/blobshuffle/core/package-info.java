/** The shuffle itself: what every front door shares. Knows no engine and no cloud. */
@NullMarked
package dev.blobshuffle.core;

import org.jspecify.annotations.NullMarked;
