/** A target latency under a load that swings, in real time. */
@NullMarked
package dev.blobshuffle.bench.adaptive;

import org.jspecify.annotations.NullMarked;
