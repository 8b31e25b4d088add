/**
 * The store of a measured instance: any other store, whose requests are timed, and go wrong where
 * that is asked for.
 */
@NullMarked
package dev.blobshuffle.bench.observed;

import org.jspecify.annotations.NullMarked;
