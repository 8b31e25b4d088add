/**
 * The command {@code blobshuffle demo}: runs one topology over a text natively and through blobs,
 * and compares the measurements.
 */
@NullMarked
package dev.blobshuffle.bench.demo;

import org.jspecify.annotations.NullMarked;
