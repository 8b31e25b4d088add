/** Azure Blob Storage as a store: {@code az://account/container/prefix}. */
@NullMarked
package dev.blobshuffle.azure;

import org.jspecify.annotations.NullMarked;
