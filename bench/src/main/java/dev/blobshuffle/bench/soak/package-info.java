/** Whether a commit log grows under a load that goes on: a soak test of messaging's database. */
@NullMarked
package dev.blobshuffle.bench.soak;

import org.jspecify.annotations.NullMarked;
