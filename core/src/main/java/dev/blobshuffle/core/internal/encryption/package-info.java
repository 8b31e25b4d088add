/** Keys of blobs: where they are kept, and what is derived from them. */
@NullMarked
package dev.blobshuffle.core.internal.encryption;

import org.jspecify.annotations.NullMarked;
