/** The engine that the tasks of a process share. */
@NullMarked
package dev.blobshuffle.flink.internal.instance;

import org.jspecify.annotations.NullMarked;
