/** The benchmarks of whole applications on real brokers: what a shuffle costs through blobs and natively. */
@NullMarked
package dev.blobshuffle.cli.bench;

import org.jspecify.annotations.NullMarked;
