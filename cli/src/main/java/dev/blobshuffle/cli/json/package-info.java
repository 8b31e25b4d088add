/** JSON as commands print it. */
@NullMarked
package dev.blobshuffle.cli.json;

import org.jspecify.annotations.NullMarked;
