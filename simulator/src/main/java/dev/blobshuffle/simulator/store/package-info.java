/** Stores that are slow or fail by a plan. */
@NullMarked
package dev.blobshuffle.simulator.store;

import org.jspecify.annotations.NullMarked;
