/** The command {@code blobshuffle messaging}: topics without brokers, and their commit log. */
@NullMarked
package dev.blobshuffle.cli.messaging;

import org.jspecify.annotations.NullMarked;
