/** A soak test of messaging's database: checks whether a commit log grows under a steady load. */
@NullMarked
package dev.blobshuffle.bench.soak;

import org.jspecify.annotations.NullMarked;
