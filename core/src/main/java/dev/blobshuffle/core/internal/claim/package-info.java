/**
 * The right to delete from a store, by claims that a store and its users keep of each other. A user
 * is a Kafka cluster or a commit log. {@code docs/decisions/0016-claims.md} explains the protocol.
 */
@NullMarked
package dev.blobshuffle.core.internal.claim;

import org.jspecify.annotations.NullMarked;
