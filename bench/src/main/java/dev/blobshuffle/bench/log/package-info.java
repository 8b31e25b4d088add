/**
 * What a commit log in PostgreSQL does per second, beside two plainer designs on the same servers.
 */
@NullMarked
package dev.blobshuffle.bench.log;

import org.jspecify.annotations.NullMarked;
