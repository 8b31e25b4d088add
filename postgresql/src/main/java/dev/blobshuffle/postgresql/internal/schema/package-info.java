/**
 * The schema of a commit log: numbered SQL files, what applies them, and the rights of clients.
 * Numbers of the files only rise.
 */
@NullMarked
package dev.blobshuffle.postgresql.internal.schema;

import org.jspecify.annotations.NullMarked;
