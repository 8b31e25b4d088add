package dev.blobshuffle.s3;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
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

/**
 * Sends requests through the user's asynchronous client and waits for each on the store's own
 * thread. The client's threads do none of our work. Thread-safe.
 */
final class AsyncRequests implements S3Requests {
    /**
     * The longest wait for the client. It is longer than the timeout of each request. A client that
     * ignores that timeout must not hold a thread forever.
     */
    private static final Duration PATIENCE = S3Timeouts.DEFAULT.call().plusSeconds(5);

    private final S3AsyncClient client;

    AsyncRequests(S3AsyncClient client) {
        this.client = client;
    }

    @Override
    public void put(PutObjectRequest request, UploadAttempt attempt) {
        await(client.putObject(request, attempt.asyncBody()));
    }

    @Override
    public ReadPart get(GetObjectRequest request, int most) {
        ResponseBytes<GetObjectResponse> answer = await(client.getObject(request, AsyncResponseTransformer.toBytes()));
        byte[] bytes = answer.asByteArrayUnsafe();
        return new ReadPart(
                bytes,
                Math.min(bytes.length, most),
                Optional.ofNullable(answer.response().contentRange()),
                Optional.ofNullable(answer.response().eTag()),
                Optional.ofNullable(answer.response().lastModified()));
    }

    @Override
    public HeadObjectResponse head(HeadObjectRequest request) {
        return await(client.headObject(request));
    }

    @Override
    public void delete(DeleteObjectRequest request) {
        DeleteObjectResponse ignored = await(client.deleteObject(request));
    }

    @Override
    public DeleteObjectsResponse delete(DeleteObjectsRequest request) {
        return await(client.deleteObjects(request));
    }

    @Override
    public ListObjectsV2Response list(ListObjectsV2Request request) {
        return await(client.listObjectsV2(request));
    }

    @Override
    public HeadBucketResponse bucket(HeadBucketRequest request) {
        return await(client.headBucket(request));
    }

    @Override
    public GetBucketLifecycleConfigurationResponse lifecycle(GetBucketLifecycleConfigurationRequest request) {
        return await(client.getBucketLifecycleConfiguration(request));
    }

    @Override
    public GetBucketVersioningResponse versioning(GetBucketVersioningRequest request) {
        return await(client.getBucketVersioning(request));
    }

    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw SdkClientException.create("the client failed", e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw ApiCallTimeoutException.create(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw AbortedException.create("interrupted", e);
        }
    }

    /** Does nothing: the user owns the client and closes it. */
    @Override
    public void close() {}
}
