/** {@code blobshuffle cache}: a stand-alone cache for a zone. */
@NullMarked
package dev.blobshuffle.cli.cache;

import org.jspecify.annotations.NullMarked;
