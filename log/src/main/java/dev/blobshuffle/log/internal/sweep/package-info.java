/**
 * Deletes from a store what a commit log's batches no longer need, and nothing else
 * ({@code docs/decisions/0024-claims-of-a-log.md}).
 */
@NullMarked
package dev.blobshuffle.log.internal.sweep;

import org.jspecify.annotations.NullMarked;
