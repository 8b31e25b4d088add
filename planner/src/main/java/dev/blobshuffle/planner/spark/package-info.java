/** What a shuffle of Apache Spark costs: {@code docs/guides/planner.md}. */
@NullMarked
package dev.blobshuffle.planner.spark;

import org.jspecify.annotations.NullMarked;
