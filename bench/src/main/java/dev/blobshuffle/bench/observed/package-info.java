/**
 * The store of a measured instance: a decorator of another store that times requests and, if asked,
 * injects faults.
 */
@NullMarked
package dev.blobshuffle.bench.observed;

import org.jspecify.annotations.NullMarked;
