/**
 * Tries a store in a real cloud: checks, contract, a small shuffle, latencies and cost. All of it
 * happens below a prefix of its own, which is deleted afterwards.
 */
@NullMarked
package dev.blobshuffle.bench.cloud;

import org.jspecify.annotations.NullMarked;
