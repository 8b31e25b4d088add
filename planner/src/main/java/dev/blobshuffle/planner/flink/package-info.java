/** What a keyed exchange of Apache Flink costs: {@code docs/guides/planner.md}. */
@NullMarked
package dev.blobshuffle.planner.flink;

import org.jspecify.annotations.NullMarked;
