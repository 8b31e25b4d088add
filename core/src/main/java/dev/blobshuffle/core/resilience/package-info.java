/**
 * Decorators that protect a store and its callers: retries, circuit breakers, throttle control,
 * time limits and hedges. {@link dev.blobshuffle.core.resilience.StoreStack} composes them.
 */
@NullMarked
package dev.blobshuffle.core.resilience;

import org.jspecify.annotations.NullMarked;
