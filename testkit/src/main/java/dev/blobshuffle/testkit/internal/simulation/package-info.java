/**
 * The real Batcher and Debatcher under virtual time, against a store, a channel and processes that
 * fail by a seed.
 */
@NullMarked
package dev.blobshuffle.testkit.internal.simulation;

import org.jspecify.annotations.NullMarked;
