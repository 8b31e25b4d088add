/** The command {@code blobshuffle inspect}: prints and verifies a stored blob. */
@NullMarked
package dev.blobshuffle.cli.inspect;

import org.jspecify.annotations.NullMarked;
