/**
 * The benchmarks of whole applications on real brokers: what a shuffle costs through blobs and
 * natively.
 */
@NullMarked
package dev.blobshuffle.bench.command;

import org.jspecify.annotations.NullMarked;
