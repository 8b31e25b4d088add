package dev.blobshuffle.s3;

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
 * The requests of a store, whichever of the SDK's clients sends them. Each blocks until it is answered or has failed, for a minute at most, and throws what the
 * SDK throws. Thread-safe.
 */
interface S3Requests extends AutoCloseable {
    /** Stores an object. The client reads the attempt's bytes only until this returns or throws, or finds them closed. */
    void put(PutObjectRequest request, UploadAttempt attempt);

    /**
     * Reads a part of an object.
     *
     * @param most more bytes than these are not read
     */
    ReadPart get(GetObjectRequest request, int most);

    /** Reads an object's properties. */
    HeadObjectResponse head(HeadObjectRequest request);

    /** Deletes objects. */
    DeleteObjectsResponse delete(DeleteObjectsRequest request);

    /** Lists a page of keys. */
    ListObjectsV2Response list(ListObjectsV2Request request);

    /** Asks for the bucket's region, and for the service's clock. */
    HeadBucketResponse bucket(HeadBucketRequest request);

    /** Asks what expires in the bucket. */
    GetBucketLifecycleConfigurationResponse lifecycle(GetBucketLifecycleConfigurationRequest request);

    /** Asks whether the bucket keeps versions. */
    GetBucketVersioningResponse versioning(GetBucketVersioningRequest request);

    /** Ends the client if it belongs to the store; requests under way then fail. Idempotent. */
    @Override
    void close();
}
