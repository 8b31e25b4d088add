/**
 * Publishers, subscribers, sequencers and sweepers over a commit log in memory, under virtual time
 * and faults that a seed decides.
 */
@NullMarked
package dev.blobshuffle.testkit.internal.log.simulation;

import org.jspecify.annotations.NullMarked;
