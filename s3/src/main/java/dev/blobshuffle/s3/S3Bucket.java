package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.Bucket;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreInspection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A bucket of Amazon S3, or of a service with the same protocol. A write is one request, never in
 * parts, because each part is billed. No client reads the content after the call has ended
 * ({@link UploadAttempt}). Registers are created with {@code If-None-Match} and replaced with
 * {@code If-Match}. Thread-safe.
 */
final class S3Bucket implements Bucket {
    private final S3Settings settings;
    private final S3Objects objects;
    private final StoreContext context;
    private volatile boolean isAborted;

    S3Bucket(S3Settings settings, S3Objects objects, StoreContext context) {
        this.settings = settings;
        this.objects = objects;
        this.context = context;
    }

    @Override
    public void put(String key, BlobContent content) {
        boolean ignored = ask("write " + key, () -> write(key, content, request -> {}));
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        return writeIf(key, bytes, request -> request.ifNoneMatch("*"));
    }

    @Override
    public boolean putIfVersion(String key, String version, byte[] bytes) {
        return writeIf(key, bytes, request -> request.ifMatch(version));
    }

    /** Returns false if the object does not meet the condition. */
    private boolean writeIf(String key, byte[] bytes, Consumer<PutObjectRequest.Builder> condition) {
        return ask("write " + key, () -> {
            try {
                return write(key, BlobContent.of(bytes), condition);
            } catch (AwsServiceException e) {
                if (e.statusCode() == 412 || S3Failures.isMissing(e)) {
                    return false;
                }
                throw e;
            }
        });
    }

    private boolean write(String key, BlobContent content, Consumer<PutObjectRequest.Builder> condition) {
        try (UploadAttempt attempt = new UploadAttempt(content)) {
            PutObjectRequest.Builder request = objects.put(key, attempt);
            condition.accept(request);
            objects.requests().put(request.build(), attempt);
            return true;
        }
    }

    @Override
    public Optional<Register> read(String key, int most) {
        return part(key, 0, most)
                .map(part -> new Register(
                        part.etag().orElseThrow(() -> incomplete(key, "ETag")),
                        new String(part.bytes(), 0, part.length(), StandardCharsets.UTF_8),
                        part.modified().orElseThrow(() -> incomplete(key, "Last-Modified"))));
    }

    @Override
    public Optional<ByteBuffer> get(String key, long offset, int length) {
        return part(key, offset, length).map(part -> ByteBuffer.wrap(part.bytes(), 0, part.length()));
    }

    private Optional<ReadPart> part(String key, long offset, int length) {
        return ask("read " + key, () -> {
            try {
                ReadPart part = objects.requests().get(objects.get(key, offset, length), length);
                if (part.offset() == offset) {
                    return Optional.of(part);
                }
                throw new StoreUnavailableException(
                        "Cannot read " + key + ": " + settings.location() + " sent bytes from " + part.offset()
                                + " instead of " + offset + ". Use a store that serves ranges.");
            } catch (AwsServiceException e) {
                if (S3Failures.isMissing(e)) {
                    return Optional.empty();
                }
                if (e.statusCode() == 416) {
                    return Optional.of(ReadPart.NONE);
                }
                throw e;
            }
        });
    }

    private StoreRefusedException incomplete(String key, String header) {
        return new StoreRefusedException(
                "Cannot read " + key + ": " + settings.location() + " sends no " + header + ". Use a store that does.");
    }

    @Override
    public OptionalLong length(String key) {
        return ask("measure " + key, () -> {
            try {
                Long length = objects.requests().head(objects.head(key)).contentLength();
                if (length == null) {
                    throw incomplete(key, "Content-Length");
                }
                return OptionalLong.of(length);
            } catch (AwsServiceException e) {
                if (e.statusCode() == 404) { // The answer to HEAD has no body, thus no code.
                    return OptionalLong.empty();
                }
                throw e;
            }
        });
    }

    @Override
    public int keysPerDelete() {
        return objects.keysPerDelete();
    }

    @Override
    public void delete(List<String> keys) {
        String what = "delete " + keys.size() + " objects";
        boolean ignored = ask(what, () -> {
            objects.delete(what, keys);
            return true;
        });
    }

    @Override
    public Page<Entry> objects(String start, Optional<String> from) {
        ListObjectsV2Response page = page(objects.list(start), start, from);
        return new Page<>(
                page.contents().stream()
                        .map(object -> new Entry(object.key(), stored(object)))
                        .toList(),
                next(page));
    }

    /** A directory bucket lists below directories only. */
    @Override
    public boolean listsAnyStart() {
        return !settings.bucket().endsWith("--x-s3");
    }

    @Override
    public Page<String> directories(String start, Optional<String> from) {
        ListObjectsV2Response page = page(objects.list(start).delimiter("/"), start, from);
        List<String> keys = new ArrayList<>();
        page.commonPrefixes().forEach(directory -> keys.add(directory.prefix()));
        page.contents().forEach(object -> keys.add(object.key()));
        return new Page<>(keys, next(page));
    }

    private ListObjectsV2Response page(ListObjectsV2Request.Builder request, String start, Optional<String> from) {
        from.ifPresent(request::continuationToken);
        return ask("list " + start, () -> objects.requests().list(request.build()));
    }

    private static Optional<String> next(ListObjectsV2Response page) {
        return Boolean.TRUE.equals(page.isTruncated())
                ? Optional.ofNullable(page.nextContinuationToken())
                : Optional.empty();
    }

    private Instant stored(S3Object object) {
        Instant stored = object.lastModified();
        if (stored == null) {
            throw new StoreRefusedException("Cannot list blobs of " + settings.location()
                    + ": it sends no LastModified, so their age is unknown. Use a store that does.");
        }
        return stored;
    }

    @Override
    public StoreInspection inspect(KeyPrefix prefix) {
        return new S3Inspection(settings, objects, context).inspect();
    }

    @Override
    public String location() {
        return "s3://" + settings.bucket();
    }

    /** With the endpoint, if it is not AWS. */
    @Override
    public String location(KeyPrefix prefix) {
        return settings.location();
    }

    @Override
    public Limits limits() {
        return settings.limits();
    }

    @Override
    public void abort() {
        isAborted = true;
        objects.requests().close();
    }

    @Override
    public void close() {
        objects.requests().close();
    }

    /** Sends a request and translates its failure. */
    private <T> T ask(String what, Supplier<T> request) {
        // A previous call that timed out may have left the thread's interrupt flag set, which would
        // end this call at once.
        Thread.interrupted();
        try {
            return request.get();
        } catch (BlobShuffleException e) {
            throw e;
        } catch (RuntimeException e) {
            throw isAborted
                    ? objects.failures().closed(what, e)
                    : objects.failures().of(what, e);
        }
    }
}
