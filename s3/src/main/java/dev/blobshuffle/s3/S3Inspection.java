package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ExpirationStatus;
import software.amazon.awssdk.services.s3.model.HeadBucketResponse;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.LifecycleRuleFilter;

/**
 * Inspects the settings of a bucket and its service. A refused request is a finding too. Owned by
 * one thread.
 */
final class S3Inspection {
    private static final String LIFECYCLE = "lifecycle";
    private static final String VERSIONING = "versioning";

    /** The permissions that a role needs for each request, besides its permissions for blobs. */
    private static final Map<String, String> RIGHTS =
            Map.of(LIFECYCLE, "s3:GetLifecycleConfiguration", VERSIONING, "s3:GetBucketVersioning");

    private final S3Settings settings;
    private final S3Objects objects;
    private final StoreContext context;
    private final String blobs;
    private final List<StoreFinding> findings = new ArrayList<>();
    private Optional<Duration> clockAhead = Optional.empty();

    S3Inspection(S3Settings settings, S3Objects objects, StoreContext context) {
        this.settings = settings;
        this.objects = objects;
        this.context = context;
        blobs = settings.prefix().text() + BlobKey.ROOT;
    }

    /** Blocks for a few requests. */
    StoreInspection inspect() {
        ask("region", Request.HEAD, this::inspectRegion);
        ask(LIFECYCLE, Request.GET, this::inspectLifecycle);
        ask(VERSIONING, Request.GET, this::inspectVersioning);
        inspectRoute();
        return new StoreInspection(clockAhead, findings);
    }

    private void ask(String subject, Request kind, Runnable question) {
        context.meter().sent(kind);
        try {
            question.run();
        } catch (AwsServiceException e) {
            String right = RIGHTS.get(subject);
            if (e.statusCode() == 403 && right != null) {
                findings.add(StoreFinding.hint(
                        subject,
                        "unknown: the credentials lack the right " + right,
                        "Allow " + right + " on the bucket, as the guide's policy does, or check it in the console."));
                return;
            }
            findings.add(StoreFinding.unknown(
                    subject,
                    "the store answered " + e.statusCode() + " "
                            + (S3Failures.code(e).isEmpty() ? "without a code" : S3Failures.code(e))));
        } catch (RuntimeException e) {
            BlobShuffleException failure = objects.failures().of("inspect " + subject, e);
            findings.add(StoreFinding.unknown(subject, String.valueOf(failure.getMessage())));
        }
    }

    private void inspectRegion() {
        long before = context.time().wallMillis();
        HeadBucketResponse bucket = objects.requests().bucket(objects.bucket());
        long middle = (before + context.time().wallMillis()) / 2;
        clockAhead = date(bucket.sdkHttpResponse()).map(theirs -> ahead(theirs, middle));
        Optional<String> region = Optional.ofNullable(bucket.bucketRegion());
        // AWS sets this variable in processes that it runs.
        Optional<String> ours = Optional.ofNullable(System.getenv("AWS_REGION"))
                .filter(name -> settings.endpoint().isEmpty());
        region.ifPresent(name -> findings.add(
                ours.filter(here -> !here.equals(name)).isPresent()
                        ? StoreFinding.warning(
                                "region",
                                "the bucket is in " + name + ", and this machine in " + ours.get()
                                        + ": every byte is charged between regions",
                                "Use a bucket in " + ours.get() + ".")
                        : StoreFinding.ok("region", "the bucket is in " + name)));
    }

    private static Optional<Instant> date(SdkHttpResponse response) {
        try {
            return response.firstMatchingHeader("Date")
                    .map(text -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * The difference between the clocks. The date has whole seconds, so it is half a second old on
     * average. A difference below a second means nothing.
     */
    private static Duration ahead(Instant theirs, long ourMillis) {
        Duration ahead = Duration.between(Instant.ofEpochMilli(ourMillis), theirs.plusMillis(500));
        return ahead.abs().compareTo(Duration.ofSeconds(1)) <= 0 ? Duration.ZERO : ahead;
    }

    private void inspectLifecycle() {
        List<LifecycleRule> rules;
        try {
            rules = objects.requests().lifecycle(objects.lifecycle()).rules();
        } catch (AwsServiceException e) {
            if (!S3Failures.code(e).equals("NoSuchLifecycleConfiguration")) {
                throw e;
            }
            rules = List.of();
        }
        Optional<Duration> expiry = expiry(rules, blobs);
        findings.add(expiry.map(StoreFinding::expiry).orElseGet(() -> StoreFinding.neverExpires(blobs)));
        if (expiry(rules, settings.prefix().marker()).isPresent()) {
            findings.add(StoreFinding.expiresMarker(blobs));
        }
    }

    /** The shortest expiry among the rules for all keys with a prefix. */
    private static Optional<Duration> expiry(List<LifecycleRule> rules, String start) {
        return rules.stream()
                .filter(rule -> rule.status() == ExpirationStatus.ENABLED)
                .filter(rule -> rule.expiration() != null && rule.expiration().days() != null)
                .filter(rule -> prefix(rule).filter(start::startsWith).isPresent())
                .map(rule -> Duration.ofDays(rule.expiration().days()))
                .min(Duration::compareTo);
    }

    /**
     * The prefix of a rule; empty if the rule also filters by tags or sizes, which not all blobs
     * match.
     */
    @SuppressWarnings("deprecation") // old rules have no filter
    private static Optional<String> prefix(LifecycleRule rule) {
        LifecycleRuleFilter filter = rule.filter();
        if (filter == null) {
            return Optional.of(rule.prefix() == null ? "" : rule.prefix());
        }
        boolean isPlain = filter.and() == null
                && filter.tag() == null
                && filter.objectSizeGreaterThan() == null
                && filter.objectSizeLessThan() == null;
        return isPlain ? Optional.of(filter.prefix() == null ? "" : filter.prefix()) : Optional.empty();
    }

    private void inspectVersioning() {
        BucketVersioningStatus status =
                objects.requests().versioning(objects.versioning()).status();
        findings.add(
                status == BucketVersioningStatus.ENABLED
                        ? StoreFinding.keepsVersions()
                        : StoreFinding.ok(VERSIONING, "deleted blobs are gone"));
    }

    /**
     * Adds a hint about the network route. It cannot be detected from here, but a wrong one costs
     * more than everything else.
     */
    private void inspectRoute() {
        if (settings.isExposed()) {
            findings.add(StoreFinding.error(
                    "encryption in transit",
                    "requests go over plain HTTP to another machine, so others can read and change records on the way",
                    "Give an endpoint with https."));
        }
        if (settings.endpoint().isEmpty()) {
            findings.add(StoreFinding.hint(
                    "route",
                    "in a private subnet without a gateway endpoint for S3, every byte goes through a NAT gateway and is charged",
                    "See that the subnets' route tables have an S3 gateway endpoint, which costs nothing."));
        }
    }
}
