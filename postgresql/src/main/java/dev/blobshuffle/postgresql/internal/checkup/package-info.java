/** The doctor's checks of a commit log's database. Read-only. */
@NullMarked
package dev.blobshuffle.postgresql.internal.checkup;

import org.jspecify.annotations.NullMarked;
