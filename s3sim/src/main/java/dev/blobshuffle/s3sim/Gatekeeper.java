package dev.blobshuffle.s3sim;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether requests are permitted, by their access key id, region, clock and headers, but not
 * by their signature. Stateless.
 *
 * @param accessKeyId the only valid one; empty: any, also none
 * @param region of the buckets; empty: any
 * @param refusesChecksums whether headers with checksums are unknown, except {@code Content-MD5}
 */
record Gatekeeper(Optional<String> accessKeyId, Optional<String> region, boolean refusesChecksums) {
    private static final Pattern SCOPE = Pattern.compile("Credential=([^/,]+)/[0-9]{8}/([^/,]+)/");
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'");
    private static final Duration MAX_SKEW = Duration.ofMinutes(15);

    void check(RequestHead head, Instant now) throws RefusedException {
        Matcher scope = SCOPE.matcher(head.headers().getOrDefault("authorization", ""));
        boolean isSigned = scope.find();
        if (accessKeyId.isPresent() && !isSigned) {
            throw new RefusedException(S3Error.ACCESS_DENIED);
        }
        if (accessKeyId.isPresent() && !accessKeyId.get().equals(scope.group(1))) {
            throw new RefusedException(S3Error.INVALID_ACCESS_KEY_ID);
        }
        checkClock(head, now);
        if (refusesChecksums && head.headers().keySet().stream().anyMatch(Gatekeeper::isChecksum)) {
            throw new RefusedException(S3Error.NOT_IMPLEMENTED);
        }
        if (isSigned && region.isPresent() && !region.get().equals(scope.group(2))) {
            S3Error error = S3Error.PERMANENT_REDIRECT;
            throw new RefusedException(error, error.answer().with("x-amz-bucket-region", region.get()));
        }
    }

    private static boolean isChecksum(String header) {
        return header.startsWith("x-amz-checksum-") || header.equals("x-amz-sdk-checksum-algorithm");
    }

    private static void checkClock(RequestHead head, Instant now) throws RefusedException {
        String date = head.headers().get("x-amz-date");
        if (date == null) {
            return;
        }
        try {
            Instant sent = LocalDateTime.parse(date, DATE).toInstant(ZoneOffset.UTC);
            if (Duration.between(sent, now).abs().compareTo(MAX_SKEW) > 0) {
                throw new RefusedException(S3Error.REQUEST_TIME_TOO_SKEWED);
            }
        } catch (DateTimeParseException e) {
            throw new RefusedException(S3Error.INVALID_ARGUMENT);
        }
    }
}
