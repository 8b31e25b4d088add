/** The cost for a process to move blobs to a store and back, compared with a minimal client. */
@NullMarked
package dev.blobshuffle.bench.store;

import org.jspecify.annotations.NullMarked;
