package dev.blobshuffle.s3sim;

/** The operations of S3's API that {@link S3Sim} distinguishes. */
public enum Operation {
    /** {@code PutObject}. */
    PUT_OBJECT,
    /** {@code GetObject}, including ranges. */
    GET_OBJECT,
    /** {@code HeadObject}. */
    HEAD_OBJECT,
    /** {@code DeleteObject}. */
    DELETE_OBJECT,
    /** {@code DeleteObjects}. */
    DELETE_OBJECTS,
    /** One page of {@code ListObjectsV2}. */
    LIST_OBJECTS,
    /** {@code CreateBucket}. */
    CREATE_BUCKET,
    /** {@code HeadBucket}. */
    HEAD_BUCKET,
    /** {@code GetBucketLifecycleConfiguration}. */
    GET_BUCKET_LIFECYCLE,
    /** {@code GetBucketVersioning}. */
    GET_BUCKET_VERSIONING,
    /** {@code GetBucketLocation}. */
    GET_BUCKET_LOCATION,
    /**
     * Any other operation, such as multipart uploads: answered with
     * {@link S3Error#NOT_IMPLEMENTED}.
     */
    OTHER;

    /** Whether S3 counts the operation as a write for its request limits. */
    boolean isWrite() {
        return this == PUT_OBJECT || this == DELETE_OBJECT || this == DELETE_OBJECTS || this == CREATE_BUCKET;
    }
}
