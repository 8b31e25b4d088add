/** The throughput of a commit log in PostgreSQL, beside two simpler designs on the same servers. */
@NullMarked
package dev.blobshuffle.bench.log;

import org.jspecify.annotations.NullMarked;
