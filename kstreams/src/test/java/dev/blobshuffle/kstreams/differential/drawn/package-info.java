/**
 * The drawn differential test: random topologies and records, run natively and through blobs, and a
 * comparison of everything that both runs leave behind.
 */
@NullMarked
package dev.blobshuffle.kstreams.differential.drawn;

import org.jspecify.annotations.NullMarked;
