/**
 * The benchmarks of whole applications on real brokers: the cost of a shuffle through blobs and
 * natively.
 */
@NullMarked
package dev.blobshuffle.bench.command;

import org.jspecify.annotations.NullMarked;
