/**
 * What it costs a process to move blobs to a store and back, against the least that a client can
 * do.
 */
@NullMarked
package dev.blobshuffle.bench.store;

import org.jspecify.annotations.NullMarked;
