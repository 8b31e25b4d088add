/** Consumer groups of a commit log: members, leases, and who reads which partition. */
@NullMarked
package dev.blobshuffle.core.internal.log.group;

import org.jspecify.annotations.NullMarked;
