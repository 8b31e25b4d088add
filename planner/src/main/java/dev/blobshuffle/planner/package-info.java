/**
 * What a shuffle through blobs costs and how long it takes: the analytical model of the BlobShuffle paper, section 4, with what it leaves out, and the choice of
 * settings. Pure functions of their arguments: no clock, no network, the same answer for the same question.
 */
@NullMarked
package dev.blobshuffle.planner;

import org.jspecify.annotations.NullMarked;
