package dev.blobshuffle.gcs;

import com.google.cloud.ReadChannel;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import com.google.cloud.storage.Storage.BlobGetOption;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.Storage.BlobSourceOption;
import com.google.cloud.storage.Storage.BlobTargetOption;
import com.google.cloud.storage.Storage.BlobWriteOption;
import com.google.cloud.storage.StorageBatch;
import com.google.cloud.storage.StorageBatchResult;
import com.google.cloud.storage.StorageException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.Bucket;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreInspection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * A bucket of Google Cloud Storage. A write is one request, never a resumable upload, which takes
 * two or more. Only the calling thread reads the content, so the content can be released when the
 * call ends. The client's default compression of uploads is off. Thread-safe.
 */
final class GcsBucket implements Bucket {
    /** The most keys that the service accepts in one batch. */
    private static final int KEYS_PER_DELETE = 100;

    private static final int KEYS_PER_PAGE = 1000;
    private static final int PRECONDITION_FAILED = 412;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int OUT_OF_RANGE = 416;

    private final Storage client;
    private final String name;
    private final GcsChecksum checksum;
    private final Runnable whenClosed;
    private final GcsFailures failures;

    GcsBucket(Storage client, String name, GcsChecksum checksum, Runnable whenClosed) {
        this.client = client;
        this.name = name;
        this.checksum = checksum;
        this.whenClosed = whenClosed;
        failures = new GcsFailures(location(), name);
    }

    /**
     * Uploads from a stream. The client deprecates this, because it cannot repeat a stream. Other
     * methods copy the content or take several requests.
     */
    @SuppressWarnings("deprecation")
    @Override
    public void put(String key, BlobContent content) {
        BlobInfo.Builder object = BlobInfo.newBuilder(name, key).setContentType("application/octet-stream");
        try {
            if (checksum == GcsChecksum.CRC32C) {
                object.setCrc32c(GcsChecksum.crc32c(content));
                client.create(
                        object.build(),
                        new ContentStream(content),
                        BlobWriteOption.disableGzipContent(),
                        BlobWriteOption.crc32cMatch());
            } else {
                client.create(object.build(), new ContentStream(content), BlobWriteOption.disableGzipContent());
            }
        } catch (RuntimeException e) {
            throw failures.of("write " + key + " to", e);
        }
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        BlobInfo object = BlobInfo.newBuilder(name, key)
                .setContentType("text/plain; charset=utf-8")
                .build();
        try {
            client.create(object, bytes, BlobTargetOption.doesNotExist(), BlobTargetOption.disableGzipContent());
            return true;
        } catch (StorageException e) {
            if (e.getCode() == PRECONDITION_FAILED) {
                return false;
            }
            throw failures.of("write " + key + " to", e);
        } catch (RuntimeException e) {
            throw failures.of("write " + key + " to", e);
        }
    }

    @Override
    public Optional<Register> read(String key, int most) {
        String attempt = "read " + key + " from";
        for (int attempts = 1; ; attempts++) {
            try {
                Blob object = client.get(
                        BlobId.of(name, key),
                        BlobGetOption.fields(BlobField.GENERATION, BlobField.SIZE, BlobField.UPDATED));
                if (object == null) {
                    return Optional.empty();
                }
                long generation = object.getGeneration();
                if (object.getSize() > most) {
                    throw new StoreRefusedException(
                            "Cannot read " + key + " from gs://" + name + ": it has " + object.getSize()
                                    + " bytes, more than " + most
                                    + ". Let fewer applications share a store: give some of them a prefix of their own.");
                }
                byte[] bytes = client.readAllBytes(
                        BlobId.of(name, key),
                        BlobSourceOption.generationMatch(generation),
                        BlobSourceOption.shouldReturnRawInputStream(true));
                return Optional.of(new Register(
                        Long.toString(generation), new String(bytes, StandardCharsets.UTF_8), stored(object)));
            } catch (StoreRefusedException e) {
                throw e;
            } catch (RuntimeException e) {
                // The register was replaced between the two requests. Read the newer one.
                if (GcsFailures.status(e) != PRECONDITION_FAILED || attempts == 5) {
                    throw failures.of(attempt, e);
                }
            }
        }
    }

    @Override
    public boolean putIfVersion(String key, String version, byte[] bytes) {
        BlobInfo object = BlobInfo.newBuilder(name, key)
                .setContentType("text/plain; charset=utf-8")
                .build();
        try {
            client.create(
                    object,
                    bytes,
                    BlobTargetOption.generationMatch(Long.parseLong(version)),
                    BlobTargetOption.disableGzipContent());
            return true;
        } catch (RuntimeException e) {
            int status = GcsFailures.status(e);
            if (status == PRECONDITION_FAILED || status == NOT_FOUND) {
                return false;
            }
            throw failures.of("write " + key + " to", e);
        }
    }

    @Override
    public Optional<ByteBuffer> get(String key, long offset, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try (ReadChannel channel =
                client.reader(BlobId.of(name, key), BlobSourceOption.shouldReturnRawInputStream(true))) {
            channel.setChunkSize(0); // Without its own buffer, which takes 2 MiB.
            channel.seek(offset);
            channel.limit(offset + length);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // Continues to the end of the range, or of the object.
            }
            return Optional.of(bytes.flip());
        } catch (IOException | RuntimeException e) {
            int status = GcsFailures.status(e);
            if (status == NOT_FOUND) {
                return Optional.empty();
            }
            if (status == OUT_OF_RANGE) {
                return Optional.of(bytes.clear().limit(0));
            }
            throw failures.of("read " + key + " from", e);
        }
    }

    @Override
    public OptionalLong length(String key) {
        try {
            Blob object = client.get(BlobId.of(name, key), BlobGetOption.fields(BlobField.SIZE));
            return object == null ? OptionalLong.empty() : OptionalLong.of(object.getSize());
        } catch (RuntimeException e) {
            throw failures.of("look for " + key + " in", e);
        }
    }

    @Override
    public int keysPerDelete() {
        return KEYS_PER_DELETE;
    }

    @Override
    public void delete(List<String> keys) {
        try {
            StorageBatch batch = client.batch();
            List<StorageBatchResult<Boolean>> results = new ArrayList<>(keys.size());
            keys.forEach(key -> results.add(batch.delete(name, key)));
            batch.submit();
            results.forEach(StorageBatchResult::get);
        } catch (RuntimeException e) {
            throw failures.of("delete " + keys.size() + " objects from", e);
        }
    }

    @Override
    public Page<Entry> objects(String start, Optional<String> from) {
        return page(
                start,
                from,
                List.of(BlobListOption.fields(BlobField.NAME, BlobField.UPDATED)),
                object -> new Entry(object.getName(), stored(object)));
    }

    @Override
    public Page<String> directories(String start, Optional<String> from) {
        return page(
                start,
                from,
                List.of(BlobListOption.currentDirectory(), BlobListOption.fields(BlobField.NAME)),
                Blob::getName);
    }

    private Instant stored(Blob object) {
        OffsetDateTime updated = object.getUpdateTimeOffsetDateTime();
        if (updated == null) {
            throw new StoreRefusedException("Cannot read when " + object.getName() + " of gs://" + name
                    + " was stored: the service does not send it. Use a service that does.");
        }
        return updated.toInstant();
    }

    private <T> Page<T> page(String start, Optional<String> from, List<BlobListOption> more, Function<Blob, T> entry) {
        List<BlobListOption> options = new ArrayList<>(more);
        options.add(BlobListOption.prefix(start));
        options.add(BlobListOption.pageSize(KEYS_PER_PAGE));
        from.map(BlobListOption::pageToken).ifPresent(options::add);
        try {
            com.google.api.gax.paging.Page<Blob> page = client.list(name, options.toArray(BlobListOption[]::new));
            List<T> entries = new ArrayList<>();
            page.getValues().forEach(object -> entries.add(entry.apply(object)));
            return new Page<>(entries, page.hasNextPage() ? Optional.of(page.getNextPageToken()) : Optional.empty());
        } catch (StoreRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failures.of("list", e);
        }
    }

    @Override
    public StoreInspection inspect(KeyPrefix prefix) {
        try {
            com.google.cloud.storage.Bucket bucket = client.get(name);
            return bucket == null
                    ? GcsInspection.unknown("the bucket does not exist")
                    : GcsInspection.of(bucket, prefix);
        } catch (RuntimeException e) {
            return GcsInspection.unknown(
                    GcsFailures.status(e) == FORBIDDEN
                            ? "the credentials lack storage.buckets.get (roles/storage.legacyBucketReader)"
                            : String.valueOf(failures.of("inspect", e).getMessage()));
        }
    }

    @Override
    public String location() {
        return "gs://" + name;
    }

    @Override
    public void close() {
        whenClosed.run();
    }
}
