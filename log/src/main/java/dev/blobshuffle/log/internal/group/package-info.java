/** Consumer groups of a commit log: members, leases, and who reads which partition. */
@NullMarked
package dev.blobshuffle.log.internal.group;

import org.jspecify.annotations.NullMarked;
