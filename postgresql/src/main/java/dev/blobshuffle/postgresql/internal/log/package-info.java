/** Implements the commit log with the functions of its schema. */
@NullMarked
package dev.blobshuffle.postgresql.internal.log;

import org.jspecify.annotations.NullMarked;
