/** The shuffle itself, which all front doors share. Depends on no engine and no cloud. */
@NullMarked
package dev.blobshuffle.core;

import org.jspecify.annotations.NullMarked;
