package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.RequestMeter.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationRequest;
import software.amazon.awssdk.services.s3.model.GetBucketVersioningRequest;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadBucketRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;

/**
 * Builds the requests to one bucket, and sends those that differ between stores. Thread-safe.
 *
 * @param settings the bucket and its options
 * @param callTimeout the SDK's timeout of a request, for the user's own clients, which may have
 *     none; empty: the connections' limits apply
 * @param requests sends the requests
 * @param failures translates failures
 */
record S3Objects(S3Settings settings, Optional<Duration> callTimeout, S3Requests requests, S3Failures failures) {
    /** The most keys that S3 accepts in one delete. */
    private static final int MOST_DELETED = 1000;

    private AwsRequestOverrideConfiguration bounded() {
        AwsRequestOverrideConfiguration.Builder override = AwsRequestOverrideConfiguration.builder();
        callTimeout.ifPresent(override::apiCallTimeout);
        return override.build();
    }

    /** Stores an object, with the checksum and encryption of the settings. */
    PutObjectRequest.Builder put(String key, UploadAttempt attempt) {
        PutObjectRequest.Builder request = PutObjectRequest.builder()
                .bucket(settings.bucket())
                .key(key)
                .contentLength(attempt.length())
                .overrideConfiguration(bounded());
        try {
            switch (settings.checksum()) {
                case CRC32C -> request.checksumCRC32C(attempt.crc32c());
                case MD5 -> request.contentMD5(attempt.md5());
                case NONE -> {}
            }
        } catch (IOException e) {
            throw new StoreUnavailableException("Cannot store " + key + ": " + e.getMessage() + ". Try again.", e);
        }
        settings.encryption().ifPresent(encryption -> {
            request.serverSideEncryption(encryption.algorithm());
            encryption.kmsKey().ifPresent(request::ssekmsKeyId);
            if (encryption.usesKms()) {
                // Otherwise each request is also a request to KMS, which is billed and limited.
                request.bucketKeyEnabled(true);
            }
        });
        return request;
    }

    /** Reads a part of an object. */
    GetObjectRequest get(String key, long offset, long length) {
        return GetObjectRequest.builder()
                .bucket(settings.bucket())
                .key(key)
                .range("bytes=" + offset + "-" + (offset + length - 1))
                .overrideConfiguration(bounded())
                .build();
    }

    /** Requests an object's length. */
    HeadObjectRequest head(String key) {
        return HeadObjectRequest.builder()
                .bucket(settings.bucket())
                .key(key)
                .overrideConfiguration(bounded())
                .build();
    }

    /**
     * The most keys that one request deletes. A request with several has a CRC32, which the SDK
     * always adds, so stores with other checksums get a request for each key.
     */
    int keysPerDelete() {
        return settings.checksum() == RequestChecksum.CRC32C ? MOST_DELETED : 1;
    }

    /**
     * Deletes objects by one request. A missing object is not a failure.
     *
     * @param keys at most {@link #keysPerDelete()}
     */
    void delete(String what, List<String> keys) {
        if (keysPerDelete() == 1) {
            deleteOne(keys.get(0));
            return;
        }
        for (S3Error error : requests.delete(deletion(keys)).errors()) {
            if (!S3Failures.NO_KEY.equals(error.code())) {
                throw failures.of(what, error);
            }
        }
    }

    private void deleteOne(String key) {
        try {
            requests.delete(DeleteObjectRequest.builder()
                    .bucket(settings.bucket())
                    .key(key)
                    .overrideConfiguration(bounded())
                    .build());
        } catch (AwsServiceException e) {
            if (!S3Failures.isMissing(e)) {
                throw e;
            }
        }
    }

    /** The answer lists only failures. */
    private DeleteObjectsRequest deletion(List<String> keys) {
        List<ObjectIdentifier> objects = keys.stream()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
        return DeleteObjectsRequest.builder()
                .bucket(settings.bucket())
                .delete(Delete.builder().objects(objects).quiet(true).build())
                .overrideConfiguration(bounded())
                .build();
    }

    /** Lists the first page of the keys with a prefix. */
    ListObjectsV2Request.Builder list(String prefix) {
        return ListObjectsV2Request.builder()
                .bucket(settings.bucket())
                .prefix(prefix)
                .overrideConfiguration(bounded());
    }

    /** Requests the bucket's properties. */
    HeadBucketRequest bucket() {
        return HeadBucketRequest.builder()
                .bucket(settings.bucket())
                .overrideConfiguration(bounded())
                .build();
    }

    /** Requests the bucket's lifecycle rules. */
    GetBucketLifecycleConfigurationRequest lifecycle() {
        return GetBucketLifecycleConfigurationRequest.builder()
                .bucket(settings.bucket())
                .overrideConfiguration(bounded())
                .build();
    }

    /** Requests whether the bucket keeps versions. */
    GetBucketVersioningRequest versioning() {
        return GetBucketVersioningRequest.builder()
                .bucket(settings.bucket())
                .overrideConfiguration(bounded())
                .build();
    }

    /** Sends a listing page by page. */
    void forEachPage(ListObjectsV2Request.Builder request, RequestMeter meter, Consumer<ListObjectsV2Response> reader) {
        Optional<String> token = Optional.empty();
        do {
            meter.sent(Request.LIST);
            ListObjectsV2Response page =
                    requests.list(request.continuationToken(token.orElse(null)).build());
            reader.accept(page);
            Optional<String> next = Boolean.TRUE.equals(page.isTruncated())
                    ? Optional.ofNullable(page.nextContinuationToken())
                    : Optional.empty();
            if (next.isPresent() && next.equals(token)) {
                throw new StoreUnavailableException("Cannot list " + settings.location()
                        + ": it sends the same page again and again. Use a store that lists as S3 does.");
            }
            token = next;
        } while (token.isPresent());
    }

    /** Deletes any number of objects, in order. */
    void deleteAll(String what, List<String> keys, RequestMeter meter) {
        int step = keysPerDelete();
        for (int from = 0; from < keys.size(); from += step) {
            meter.sent(Request.DELETE);
            delete(what, keys.subList(from, Math.min(keys.size(), from + step)));
        }
    }
}
