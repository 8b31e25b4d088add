/** {@code blobshuffle cache}: a cache for a zone that runs by itself. */
@NullMarked
package dev.blobshuffle.cli.cache;

import org.jspecify.annotations.NullMarked;
