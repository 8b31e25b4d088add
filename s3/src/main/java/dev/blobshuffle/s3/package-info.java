/** Blobs in Amazon S3 and in services with the same protocol. */
@NullMarked
package dev.blobshuffle.s3;

import org.jspecify.annotations.NullMarked;
