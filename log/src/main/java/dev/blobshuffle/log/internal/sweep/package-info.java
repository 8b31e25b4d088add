/**
 * Deletes from a store what the batches of a commit log do not need any more. {@code
 * docs/decisions/0024-claims-of-a-log.md} says why nothing else is deleted.
 */
@NullMarked
package dev.blobshuffle.log.internal.sweep;

import org.jspecify.annotations.NullMarked;
