/** The command {@code blobshuffle plan}. */
@NullMarked
package dev.blobshuffle.cli.plan;

import org.jspecify.annotations.NullMarked;
