/**
 * Tries a store in a real cloud: checks, contract, a small shuffle, latencies and cost, below a
 * prefix of its own, which it deletes afterwards.
 */
@NullMarked
package dev.blobshuffle.bench.cloud;

import org.jspecify.annotations.NullMarked;
