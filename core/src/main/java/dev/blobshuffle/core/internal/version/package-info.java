/** The version of BlobShuffle, and the versions of libraries and programs that work with it. */
@NullMarked
package dev.blobshuffle.core.internal.version;

import org.jspecify.annotations.NullMarked;
