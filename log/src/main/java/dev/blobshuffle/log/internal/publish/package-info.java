/** The write side of a commit log: a lane's segments become commits, and commits get positions. */
@NullMarked
package dev.blobshuffle.log.internal.publish;

import org.jspecify.annotations.NullMarked;
