/** The command line. */
@NullMarked
package dev.blobshuffle.cli;

import org.jspecify.annotations.NullMarked;
