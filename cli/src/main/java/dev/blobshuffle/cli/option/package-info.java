/**
 * Option types that commands share: quantities with units, files of settings, names that were
 * replaced.
 */
@NullMarked
package dev.blobshuffle.cli.option;

import org.jspecify.annotations.NullMarked;
