/** Availability zones. */
@NullMarked
package dev.blobshuffle.core.zone;

import org.jspecify.annotations.NullMarked;
