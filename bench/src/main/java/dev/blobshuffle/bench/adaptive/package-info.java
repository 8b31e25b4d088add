/** The command {@code blobshuffle bench adaptive}: a target latency under a load that swings, next to fixed settings. */
@NullMarked
package dev.blobshuffle.cli.bench.adaptive;

import org.jspecify.annotations.NullMarked;
