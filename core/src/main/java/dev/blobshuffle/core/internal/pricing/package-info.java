/**
 * Prices as data, and the engine's decisions based on them: which batches go through Kafka, how
 * long batches fill, and the reported cost. The code is deterministic: no clock, no network.
 */
@NullMarked
package dev.blobshuffle.core.internal.pricing;

import org.jspecify.annotations.NullMarked;
