package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/**
 * Blobs under names in a bucket. Each is one object, stored by one request on the caller's thread.
 * Writes have their own connections, because a blob of gigabytes takes long. The content is read
 * twice, first for the checksum. Thread-safe.
 */
final class S3NamedBlobs implements NamedBlobs {
    /** The most bytes that S3 takes in one request. */
    private static final long LONGEST = 5L << 30;

    /** The longest write, which allows 6 MB/s for the longest blob. */
    private static final Duration LONGEST_WRITE = Duration.ofMinutes(15);

    private final S3Settings settings;
    private final S3Objects reads;
    private final S3Objects writes;
    private final RequestMeter meter;
    private volatile boolean isClosed;

    S3NamedBlobs(S3Settings settings, StoreContext context) {
        this.settings = settings;
        meter = context.meter();
        reads = objects(settings, S3Timeouts.DEFAULT, context);
        S3Timeouts patient = new S3Timeouts(S3Timeouts.DEFAULT.connect(), S3Timeouts.DEFAULT.silence(), LONGEST_WRITE);
        try {
            writes = objects(settings, patient, context);
        } catch (RuntimeException e) {
            reads.requests().close();
            throw e;
        }
    }

    private static S3Objects objects(S3Settings settings, S3Timeouts timeouts, StoreContext context) {
        return new S3Objects(
                settings,
                Optional.empty(),
                S3Clients.requests(settings, timeouts, context.time()),
                new S3Failures(settings.location()));
    }

    private <T> T ask(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (BlobShuffleException e) {
            throw e;
        } catch (RuntimeException e) {
            throw isClosed ? reads.failures().closed(what, e) : reads.failures().of(what, e);
        }
    }

    @Override
    public void put(String name, BlobContent content) {
        String what = "store " + name;
        if (content.length() > LONGEST) {
            throw new StoreRefusedException("Cannot " + what + ": it has " + content.length() + " bytes, and "
                    + location() + " takes " + LONGEST + " in one request. Write smaller blobs.");
        }
        boolean ignored = ask(what, () -> {
            meter.sent(Request.PUT);
            try (UploadAttempt attempt = new UploadAttempt(content)) {
                writes.requests()
                        .put(writes.put(settings.prefix().named(name), attempt).build(), attempt);
            }
            return true;
        });
    }

    @Override
    public void read(String name, long offset, ByteBuffer target) {
        int length = target.remaining();
        if (length == 0) {
            return;
        }
        boolean ignored = ask("read " + name, () -> {
            target.put(bytes(name, offset, length));
            return true;
        });
    }

    private ByteBuffer bytes(String name, long offset, int length) {
        String key = settings.prefix().named(name);
        meter.sent(Request.GET);
        try {
            ReadPart part = reads.requests().get(reads.get(key, offset, length), length);
            if (part.length() == length && part.offset() == offset) {
                return ByteBuffer.wrap(part.bytes(), 0, length);
            }
            throw cutOff(name, offset + length, "sent " + part.length() + " bytes from " + part.offset());
        } catch (AwsServiceException e) {
            if (S3Failures.isMissing(e)) {
                throw new BlobMissingException("Cannot read " + name + ": it is not in " + location() + ".", e);
            }
            if (e.statusCode() == 416) {
                throw cutOff(name, offset + length, "refused the range");
            }
            throw e;
        }
    }

    /**
     * The failure of a read that got too few bytes: either the blob is too short, or the answer was
     * cut off.
     */
    private BlobShuffleException cutOff(String name, long end, String observed) {
        meter.sent(Request.HEAD);
        Long length =
                reads.requests().head(reads.head(settings.prefix().named(name))).contentLength();
        if (length != null && length < end) {
            return new BlobCorruptException("Cannot read " + name + " in " + location() + ": it ends at " + length
                    + ", before " + end + ". Delete it, and store it again.");
        }
        return new StoreUnavailableException("Cannot read " + name + ": " + location() + " " + observed
                + ", although it has " + length + ". Check the network to the store.");
    }

    @Override
    public void delete(Collection<String> names) {
        List<String> keys = names.stream().map(settings.prefix()::named).toList();
        String what = "delete " + keys.size() + " blobs";
        boolean ignored = ask(what, () -> {
            reads.deleteAll(what, keys, meter);
            return true;
        });
    }

    @Override
    public List<Entry> list(String directory) {
        String prefix = settings.prefix().text();
        return ask("list " + directory, () -> {
            List<Entry> found = new ArrayList<>();
            reads.forEachPage(
                    reads.list(prefix + directory),
                    meter,
                    page -> page.contents()
                            .forEach(each -> found.add(new Entry(each.key().substring(prefix.length()), each.size()))));
            return found;
        });
    }

    @Override
    public String location() {
        return settings.location();
    }

    @Override
    public void close() {
        isClosed = true;
        reads.requests().close();
        writes.requests().close();
    }
}
