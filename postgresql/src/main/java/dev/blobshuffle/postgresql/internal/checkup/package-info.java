/** What the doctor finds out about the database of a commit log. Reads only. */
@NullMarked
package dev.blobshuffle.postgresql.internal.checkup;

import org.jspecify.annotations.NullMarked;
