/**
 * The file store: blobs in one or more directories, which its marker names.
 * Start at {@link dev.blobshuffle.core.internal.store.directory.FileBlobStore}.
 */
@NullMarked
package dev.blobshuffle.core.internal.store.directory;

import org.jspecify.annotations.NullMarked;
