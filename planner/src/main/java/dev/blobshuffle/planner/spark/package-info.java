/** The cost of a shuffle of Apache Spark: {@code docs/guides/planner.md}. */
@NullMarked
package dev.blobshuffle.planner.spark;

import org.jspecify.annotations.NullMarked;
