/**
 * {@code blobshuffle demo messaging}: publishers and subscribers in three zones, two of which are
 * killed, and a database that fails over, checked record by record.
 */
@NullMarked
package dev.blobshuffle.bench.demo.messaging;

import org.jspecify.annotations.NullMarked;
