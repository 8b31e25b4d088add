/** What the two sides of a shuffle share: their task, and the operator around them. */
@NullMarked
package dev.blobshuffle.flink.internal.task;

import org.jspecify.annotations.NullMarked;
