/**
 * HTTP connections for the clients of object stores: one configuration of Apache's blocking client,
 * and the meaning of HTTP failures.
 */
@NullMarked
package dev.blobshuffle.http.internal;

import org.jspecify.annotations.NullMarked;
