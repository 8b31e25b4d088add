/** The settings of a Spark application, and what contradicts them. */
@NullMarked
package dev.blobshuffle.spark.internal.settings;

import org.jspecify.annotations.NullMarked;
