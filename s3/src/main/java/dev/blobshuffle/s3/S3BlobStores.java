package dev.blobshuffle.s3;

/**
 * Opens stores in buckets of Amazon S3, or of a service with the same protocol, with options that a
 * URI cannot express, such as your own client. Most applications name the store by its URI instead.
 * Stateless.
 */
public final class S3BlobStores {
    private S3BlobStores() {}

    /** A builder of a store in a bucket. */
    public static S3BlobStoreBuilder builder(String bucket) {
        return new S3BlobStoreBuilder(bucket);
    }
}
