/** The daemon: Flight's methods, memory and security. */
@NullMarked
package dev.blobshuffle.flight.internal.server;

import org.jspecify.annotations.NullMarked;
