/** The flight daemon: the methods of Flight, memory and security. */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server;

import org.jspecify.annotations.NullMarked;
