/**
 * Publish and subscribe over object storage: topics without brokers. Records travel in blobs, and a
 * commit log in PostgreSQL keeps their order, the consumer groups and the retention.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.messaging;

import org.jspecify.annotations.NullMarked;
