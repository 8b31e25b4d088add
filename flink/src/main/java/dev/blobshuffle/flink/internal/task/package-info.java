/** What the sides of a shuffle use of the task that runs them. */
@NullMarked
package dev.blobshuffle.flink.internal.task;

import org.jspecify.annotations.NullMarked;
