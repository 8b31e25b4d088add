/**
 * Predicts the cost and latency of a shuffle through blobs, and chooses settings. Extends the
 * analytical model of the BlobShuffle paper, section 4. Pure functions of their arguments: no
 * clock, no network.
 */
@NullMarked
package dev.blobshuffle.planner;

import org.jspecify.annotations.NullMarked;
