/** The JSON output of commands. */
@NullMarked
package dev.blobshuffle.cli.json;

import org.jspecify.annotations.NullMarked;
