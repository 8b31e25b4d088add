package dev.blobshuffle.s3;

import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationRequest;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationResponse;
import software.amazon.awssdk.services.s3.model.GetBucketVersioningRequest;
import software.amazon.awssdk.services.s3.model.GetBucketVersioningResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadBucketRequest;
import software.amazon.awssdk.services.s3.model.HeadBucketResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * The requests of a store, independent of the SDK's client that sends them. Each method blocks
 * until its answer or failure, for at most a minute, and throws the SDK's exceptions. Thread-safe.
 */
interface S3Requests extends AutoCloseable {
    /**
     * Stores an object. After this method returns or throws, the client can no longer read the
     * attempt's bytes.
     */
    void put(PutObjectRequest request, UploadAttempt attempt);

    /**
     * Reads a part of an object.
     *
     * @param most the most bytes to read
     */
    ReadPart get(GetObjectRequest request, int most);

    /** Reads an object's properties. */
    HeadObjectResponse head(HeadObjectRequest request);

    /** Deletes an object. */
    void delete(DeleteObjectRequest request);

    /** Deletes objects. */
    DeleteObjectsResponse delete(DeleteObjectsRequest request);

    /** Lists a page of keys. */
    ListObjectsV2Response list(ListObjectsV2Request request);

    /** Requests the bucket's region and the service's clock. */
    HeadBucketResponse bucket(HeadBucketRequest request);

    /** Requests the bucket's lifecycle rules. */
    GetBucketLifecycleConfigurationResponse lifecycle(GetBucketLifecycleConfigurationRequest request);

    /** Requests whether the bucket keeps versions. */
    GetBucketVersioningResponse versioning(GetBucketVersioningRequest request);

    /** Closes the client if the store owns it. Running requests then fail. Idempotent. */
    @Override
    void close();
}
