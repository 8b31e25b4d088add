package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.Signal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * Finds or creates the id of the store below a prefix, in the object {@link StoreMarker}. These are
 * the first requests of a store, so they check credentials, bucket, region and clock. Owned by the
 * thread that opens the store.
 */
final class S3Marker {
    private static final String WHAT = "open store";
    private static final int LONGEST = 1024;
    /** The most attempts, because a service may throttle these first requests too. */
    private static final int ATTEMPTS = 5;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private final S3Settings settings;
    private final S3Objects objects;
    private final StoreContext context;

    S3Marker(S3Settings settings, S3Objects objects, StoreContext context) {
        this.settings = settings;
        this.objects = objects;
        this.context = context;
    }

    /**
     * The store's id. If several processes start at once, one of them sets it. Blocks.
     *
     * @throws StoreRefused fatal: the store refuses access
     * @throws StoreUnavailable recoverable: the store does not answer
     */
    String agree() {
        String offered = StoreMarker.newId(context.time());
        for (int attempt = 1; ; attempt++) {
            try {
                requireOutside();
                Optional<String> found = read();
                if (found.isPresent()) {
                    return found.get();
                }
                if (context.whenAbsent() == WhenAbsent.FAIL) {
                    throw StoreMarker.absent(settings.location());
                }
                requireAlone();
                write(offered);
            } catch (AwsServiceException e) {
                mayGoOn(objects.failures().of(WHAT, e), S3Failures.isSkewed(e), attempt);
            } catch (RuntimeException e) {
                mayGoOn(objects.failures().of(WHAT, e), false, attempt);
            }
            if (attempt > 2 * ATTEMPTS) {
                throw new StoreUnavailable(
                        "Cannot " + WHAT + ": " + settings.location()
                                + " neither shows the object "
                                + settings.prefix().marker()
                                + " nor lets it be written. Check that it is a store that answers If-None-Match and shows what was written.");
            }
        }
    }

    private void mayGoOn(BlobShuffleException failure, boolean isSkewed, int attempt) {
        boolean isTransient = failure instanceof StoreUnavailable && !(failure instanceof StoreRefused);
        if (attempt >= ATTEMPTS || !isTransient && !isSkewed) {
            throw failure;
        }
        pause(FIRST_PAUSE.multipliedBy(1L << (attempt - 1)));
    }

    /** Refuses a prefix among the blobs of another store. */
    private void requireOutside() {
        for (String marker : settings.prefix().outerMarkers()) {
            if (exists(marker)) {
                throw settings.prefix().inside("s3://" + settings.bucket() + "/" + marker);
            }
        }
    }

    private boolean exists(String key) {
        context.meter().sent(Request.HEAD);
        try {
            objects.requests().head(objects.head(key));
            return true;
        } catch (AwsServiceException e) {
            if (e.statusCode() == 404 || e.statusCode() == 403) {
                // A role may be restricted to its own prefix.
                return false;
            }
            throw e;
        }
    }

    /** Refuses to create a store around the keys of another store. */
    private void requireAlone() {
        String location = "s3://" + settings.bucket();
        objects.forEachPage(objects.list(settings.prefix().blobs()).delimiter("/"), context.meter(), page -> {
            page.commonPrefixes().forEach(start -> settings.prefix().requireOwn(start.prefix(), location));
            page.contents().forEach(object -> settings.prefix().requireOwn(object.key(), location));
        });
    }

    private Optional<String> read() {
        context.meter().sent(Request.GET);
        GetObjectRequest request = objects.get(settings.prefix().marker(), 0, LONGEST);
        try {
            ReadPart part = objects.requests().get(request, LONGEST);
            String content = new String(part.bytes(), 0, part.length(), StandardCharsets.UTF_8);
            return Optional.of(StoreMarker.id(
                    content,
                    "s3://" + settings.bucket() + "/" + settings.prefix().marker()));
        } catch (AwsServiceException e) {
            if (S3Failures.code(e).equals("NoSuchKey")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Writes the marker if it does not exist. A second process finds the marker of the first. */
    private void write(String id) {
        context.meter().sent(Request.PUT);
        byte[] content = StoreMarker.content(id).getBytes(StandardCharsets.UTF_8);
        try (UploadAttempt attempt = new UploadAttempt(BlobContent.of(content))) {
            objects.requests()
                    .put(
                            objects.put(settings.prefix().marker(), attempt)
                                    .ifNoneMatch("*")
                                    .build(),
                            attempt);
        } catch (AwsServiceException e) {
            if (e.statusCode() != 412 && e.statusCode() != 409) {
                throw e;
            }
        }
    }

    private void pause(Duration pause) {
        Signal never = context.time().signal();
        try {
            never.await(never.count(), context.time().nanos() + pause.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "Cannot " + WHAT + ": " + settings.location()
                            + " was being asked when the thread was interrupted. Start again.",
                    e);
        }
    }
}
