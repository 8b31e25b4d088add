/** The versions of libraries and programs that BlobShuffle works with, and its own. */
@NullMarked
package dev.blobshuffle.core.internal.version;

import org.jspecify.annotations.NullMarked;
