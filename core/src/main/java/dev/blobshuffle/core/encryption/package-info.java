/** Keys that encrypt blobs: where they come from, and how each blob gets a key of its own. */
@NullMarked
package dev.blobshuffle.core.encryption;

import org.jspecify.annotations.NullMarked;
