/** The command {@code blobshuffle profile}. */
@NullMarked
package dev.blobshuffle.cli.profile;

import org.jspecify.annotations.NullMarked;
