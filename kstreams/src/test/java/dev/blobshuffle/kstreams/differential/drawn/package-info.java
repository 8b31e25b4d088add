/**
 * The randomized differential test: random topologies and records run natively and through blobs,
 * and the test compares all results of both runs.
 */
@NullMarked
package dev.blobshuffle.kstreams.differential.drawn;

import org.jspecify.annotations.NullMarked;
