/** The command {@code blobshuffle plan topology}: which shuffles an application may not need. */
@NullMarked
package dev.blobshuffle.cli.topology;

import org.jspecify.annotations.NullMarked;
