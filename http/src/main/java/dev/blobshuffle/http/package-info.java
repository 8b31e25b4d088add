/** The HTTP connections of the clients of object stores: Apache's blocking client, set up once for all of them, and what failures over HTTP mean. */
@NullMarked
package dev.blobshuffle.http;

import org.jspecify.annotations.NullMarked;
