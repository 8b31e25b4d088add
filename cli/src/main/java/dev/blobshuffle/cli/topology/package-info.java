/**
 * The command {@code blobshuffle plan topology}: finds shuffles that an application may not need.
 */
@NullMarked
package dev.blobshuffle.cli.topology;

import org.jspecify.annotations.NullMarked;
