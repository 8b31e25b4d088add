/**
 * What stands between readers and the store: decorators that keep blobs' bytes in memory, on local disks, and in the memory of the zone's other members. Caches
 * may cost or save money; what a reader gets is always what the store holds.
 */
@NullMarked
package dev.blobshuffle.core.cache;

import org.jspecify.annotations.NullMarked;
