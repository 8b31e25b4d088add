/**
 * Whose blobs a sweep may delete: the owners of a store, and what they promise. All of it is
 * computation on values, without requests, threads or clocks.
 * {@code docs/decisions/0045-owners.md} explains the protocol.
 */
@NullMarked
package dev.blobshuffle.core.internal.owner;

import org.jspecify.annotations.NullMarked;
