/**
 * PostgreSQL servers for tests, the demo and benchmarks, as separate processes. Start at
 * {@link dev.blobshuffle.postgresqlembedded.PostgresServer}. Never a dependency of a user's
 * application.
 */
@NullMarked
package dev.blobshuffle.postgresqlembedded;

import org.jspecify.annotations.NullMarked;
