/** Which blobs of a store nobody can read any more, and their deletion: what {@code blobshuffle gc} and the sweeper inside applications share. */
@NullMarked
package dev.blobshuffle.core.retention;

import org.jspecify.annotations.NullMarked;
