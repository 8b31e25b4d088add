/**
 * The command {@code blobshuffle demo}: one topology over a text, native and through blobs,
 * measured and compared.
 */
@NullMarked
package dev.blobshuffle.bench.demo;

import org.jspecify.annotations.NullMarked;
