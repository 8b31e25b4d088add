/**
 * Serves blobs over HTTP. Start at
 * {@link dev.blobshuffle.flightdaemon.internal.server.http.HttpServer}.
 */
@NullMarked
package dev.blobshuffle.flightdaemon.internal.server.http;

import org.jspecify.annotations.NullMarked;
