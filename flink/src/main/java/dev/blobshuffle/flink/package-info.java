/**
 * Sends the records of a keyed exchange of Apache Flink through blobs: {@code
 * docs/guides/flink.md}. Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.flink;

import org.jspecify.annotations.NullMarked;
