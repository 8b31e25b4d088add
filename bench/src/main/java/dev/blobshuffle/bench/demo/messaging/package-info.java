/**
 * {@code blobshuffle demo messaging}: publishers and subscribers in three zones, and a database. It
 * kills two of the processes and fails the database over, and checks every record.
 */
@NullMarked
package dev.blobshuffle.bench.demo.messaging;

import org.jspecify.annotations.NullMarked;
