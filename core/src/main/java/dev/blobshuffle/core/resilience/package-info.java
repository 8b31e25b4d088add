/** Decorators that keep a store calm: retries, circuit breakers, throttle control, time limits and hedges, composed by {@link dev.blobshuffle.core.resilience.StoreStack}. */
@NullMarked
package dev.blobshuffle.core.resilience;

import org.jspecify.annotations.NullMarked;
