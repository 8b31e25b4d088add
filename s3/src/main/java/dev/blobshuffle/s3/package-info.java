/** Blobs in Amazon S3 and in stores that speak its protocol. */
@NullMarked
package dev.blobshuffle.s3;

import org.jspecify.annotations.NullMarked;
