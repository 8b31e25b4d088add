/**
 * The figures of the BlobShuffle paper at their full size: the real engine under virtual time,
 * beside the paper's numbers.
 */
@NullMarked
package dev.blobshuffle.bench.paper;

import org.jspecify.annotations.NullMarked;
