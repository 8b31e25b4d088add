/**
 * The schema of a commit log: numbered SQL files, their migrations, and the rights of clients.
 * Start at {@link dev.blobshuffle.postgresql.internal.schema.Migrations}.
 */
@NullMarked
package dev.blobshuffle.postgresql.internal.schema;

import org.jspecify.annotations.NullMarked;
