/**
 * The owners of a store and their promises, which decide whose blobs a sweep may delete. The code
 * computes on values only, without requests, threads or clocks. {@code
 * docs/decisions/0045-owners.md} explains the protocol.
 */
@NullMarked
package dev.blobshuffle.core.internal.owner;

import org.jspecify.annotations.NullMarked;
