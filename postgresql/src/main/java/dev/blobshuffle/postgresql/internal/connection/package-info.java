/** Connections to the database of a commit log: address, credentials, pool, failures. */
@NullMarked
package dev.blobshuffle.postgresql.internal.connection;

import org.jspecify.annotations.NullMarked;
