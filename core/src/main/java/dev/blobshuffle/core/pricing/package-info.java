/**
 * Prices as data, and what the engine decides by them while it runs: which batches go through Kafka, how long batches fill, and what it reports as its cost.
 * Pure functions of their arguments, or of what they were told: no clock, no network.
 */
@NullMarked
package dev.blobshuffle.core.pricing;

import org.jspecify.annotations.NullMarked;
