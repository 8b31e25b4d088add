/**
 * Keeps the shuffles of Apache Spark in a store: {@code docs/guides/spark.md}. Public API:
 * {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.spark;

import org.jspecify.annotations.NullMarked;
