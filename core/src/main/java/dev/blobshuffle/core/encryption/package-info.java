/** Keys that encrypt blobs: their sources, and the derivation of one key per blob. */
@NullMarked
package dev.blobshuffle.core.encryption;

import org.jspecify.annotations.NullMarked;
