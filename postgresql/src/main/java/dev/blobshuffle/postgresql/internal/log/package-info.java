/** The commit log over the functions of its schema. */
@NullMarked
package dev.blobshuffle.postgresql.internal.log;

import org.jspecify.annotations.NullMarked;
