/**
 * Blobs in Amazon S3 and in services with the same protocol.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.s3;

import org.jspecify.annotations.NullMarked;
