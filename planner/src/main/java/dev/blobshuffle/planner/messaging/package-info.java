/**
 * Compares what a year of publish and subscribe costs: Kafka with replicated disks, Inkless, and
 * messaging through blobs. Every price and quantity comes from one file of assumptions.
 */
@NullMarked
package dev.blobshuffle.planner.messaging;

import org.jspecify.annotations.NullMarked;
