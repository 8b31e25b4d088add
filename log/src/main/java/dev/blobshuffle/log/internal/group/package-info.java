/** Consumer groups of a commit log: members, leases, and the assignment of partitions. */
@NullMarked
package dev.blobshuffle.log.internal.group;

import org.jspecify.annotations.NullMarked;
