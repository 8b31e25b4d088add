/** Failures, typed by what the caller must do about them. */
@NullMarked
package dev.blobshuffle.core.failure;

import org.jspecify.annotations.NullMarked;
