/** The cost of a keyed exchange of Apache Flink: {@code docs/guides/planner.md}. */
@NullMarked
package dev.blobshuffle.planner.flink;

import org.jspecify.annotations.NullMarked;
