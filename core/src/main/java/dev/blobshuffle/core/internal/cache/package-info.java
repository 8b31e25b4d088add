/**
 * Caches between readers and the store: decorators that keep bytes of blobs in memory, on local
 * disks, and in the memory of the zone's other members. A cache changes cost and latency only; a
 * reader always gets the bytes that the store holds.
 */
@NullMarked
package dev.blobshuffle.core.internal.cache;

import org.jspecify.annotations.NullMarked;
