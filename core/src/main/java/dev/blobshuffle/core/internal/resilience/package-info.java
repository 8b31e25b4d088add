/**
 * Decorators that protect a store and its callers: retries, circuit breakers, throttle control,
 * time limits and hedges. {@link dev.blobshuffle.core.internal.resilience.StoreStack} composes
 * them.
 */
@NullMarked
package dev.blobshuffle.core.internal.resilience;

import org.jspecify.annotations.NullMarked;
