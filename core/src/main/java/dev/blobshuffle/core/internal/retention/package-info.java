/**
 * Finds and deletes blobs that no reader can reach any more. {@code blobshuffle gc} and the sweeper
 * inside applications share this code.
 */
@NullMarked
package dev.blobshuffle.core.internal.retention;

import org.jspecify.annotations.NullMarked;
