/** The keys of blobs: their sources, and the derivation of each blob's key. */
@NullMarked
package dev.blobshuffle.core.internal.encryption;

import org.jspecify.annotations.NullMarked;
