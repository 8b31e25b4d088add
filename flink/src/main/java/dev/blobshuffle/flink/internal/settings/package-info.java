/** The settings of a shuffle. */
@NullMarked
package dev.blobshuffle.flink.internal.settings;

import org.jspecify.annotations.NullMarked;
