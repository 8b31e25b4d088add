/** Broker access that commands share. */
@NullMarked
package dev.blobshuffle.cli.brokers;

import org.jspecify.annotations.NullMarked;
