package dev.blobshuffle.s3;

import java.io.IOException;
import java.util.Optional;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationRequest;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationResponse;
import software.amazon.awssdk.services.s3.model.GetBucketVersioningRequest;
import software.amazon.awssdk.services.s3.model.GetBucketVersioningResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadBucketRequest;
import software.amazon.awssdk.services.s3.model.HeadBucketResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/** Sends requests through the SDK's blocking client. Thread-safe. */
final class BlockingRequests implements S3Requests {
    private final S3Client client;
    private final Runnable end;

    /**
     * Takes a client and the action that closes it with the store. The action does nothing for a
     * client that the user owns.
     */
    BlockingRequests(S3Client client, Runnable end) {
        this.client = client;
        this.end = end;
    }

    @Override
    public void put(PutObjectRequest request, UploadAttempt attempt) {
        client.putObject(request, attempt.body());
    }

    @Override
    public ReadPart get(GetObjectRequest request, int most) {
        return client.getObject(request, (response, body) -> read(response, body, most));
    }

    private static ReadPart read(GetObjectResponse response, AbortableInputStream body, int most) throws IOException {
        Long announced = response.contentLength();
        byte[] bytes = new byte[announced == null ? most : (int) Math.min(most, announced)];
        int length = body.readNBytes(bytes, 0, bytes.length);
        if (announced == null || announced > most) {
            body.abort(); // Do not wait for bytes beyond the requested range.
        }
        return new ReadPart(
                bytes,
                length,
                Optional.ofNullable(response.contentRange()),
                Optional.ofNullable(response.eTag()),
                Optional.ofNullable(response.lastModified()));
    }

    @Override
    public HeadObjectResponse head(HeadObjectRequest request) {
        return client.headObject(request);
    }

    @Override
    public void delete(DeleteObjectRequest request) {
        client.deleteObject(request);
    }

    @Override
    public DeleteObjectsResponse delete(DeleteObjectsRequest request) {
        return client.deleteObjects(request);
    }

    @Override
    public ListObjectsV2Response list(ListObjectsV2Request request) {
        return client.listObjectsV2(request);
    }

    @Override
    public HeadBucketResponse bucket(HeadBucketRequest request) {
        return client.headBucket(request);
    }

    @Override
    public GetBucketLifecycleConfigurationResponse lifecycle(GetBucketLifecycleConfigurationRequest request) {
        return client.getBucketLifecycleConfiguration(request);
    }

    @Override
    public GetBucketVersioningResponse versioning(GetBucketVersioningRequest request) {
        return client.getBucketVersioning(request);
    }

    @Override
    public void close() {
        end.run();
    }
}
