package dev.blobshuffle.gcs;

import com.google.auth.Retryable;
import com.google.cloud.storage.StorageException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.http.internal.HttpAnswer;
import dev.blobshuffle.http.internal.HttpDialect;
import dev.blobshuffle.http.internal.HttpFailures;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Maps the client's exceptions to failures with remedies. Thread-safe. */
final class GcsFailures {
    private final HttpFailures failures;

    GcsFailures(String location, String bucket) {
        failures = new HttpFailures(location, new Dialect(bucket));
    }

    /** The HTTP status behind a failure; 0 if there was no answer. */
    static int status(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StorageException storage && storage.getCode() != 0) {
                return storage.getCode();
            }
        }
        return 0;
    }

    /**
     * The failure to throw.
     *
     * @param attempt completes "Cannot … gs://bucket"
     */
    StoreUnavailableException of(String attempt, Throwable e) {
        int status = status(e);
        return status == 0
                ? failures.unanswered(attempt, e)
                : failures.answered(attempt, new HttpAnswer(status, reason(e), e));
    }

    private static String reason(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof StorageException storage && storage.getReason() != null) {
                return storage.getReason();
            }
        }
        return "";
    }

    private record Dialect(String bucket) implements HttpDialect {
        /** Reasons of a 403 that mean too many requests. */
        private static final Set<String> THROTTLED = Set.of("rateLimitExceeded", "userRateLimitExceeded");

        /**
         * A 503 without a reason comes from a load balancer or proxy. It does not mean throttling,
         * but opens the circuit.
         */
        @Override
        public boolean isThrottled(HttpAnswer answer) {
            return switch (answer.status()) {
                case 403 -> THROTTLED.contains(answer.code());
                case 503 -> !answer.code().isEmpty();
                default -> false;
            };
        }

        /**
         * Distinguishes a wrong checksum from other bad requests. A wrong checksum is a transfer
         * error, so a retry may succeed; an invalid name stays invalid.
         */
        @Override
        public boolean isChanged(HttpAnswer answer) {
            String message = message(answer.cause());
            return message.contains("CRC32C") || message.contains("crc32c");
        }

        private static String message(@Nullable Throwable cause) {
            return cause == null ? "" : String.valueOf(cause.getMessage());
        }

        @Override
        public Optional<String> remedy(HttpAnswer answer) {
            return switch (answer.status()) {
                case 400 -> Optional.of("Check the name of bucket " + bucket + " in blobshuffle.store.");
                case 401 ->
                    Optional.of(
                            "Check the credentials: GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, or the workload's service account.");
                case 403 ->
                    Optional.of("Grant the service account roles/storage.objectUser on bucket " + bucket
                            + ", and check that billing of its project is on.");
                case 404 -> Optional.of("Create bucket " + bucket + ", or correct its name in blobshuffle.store.");
                default -> Optional.empty();
            };
        }

        @Override
        public String throttledRemedy() {
            return "If it lasts, write larger blobs (batch.max.bytes), or ask for a higher quota.";
        }

        @Override
        public String hostRemedy() {
            return "Check the endpoint and DNS.";
        }

        @Override
        public Optional<String> refusedCredentials(Throwable cause) {
            return cause instanceof Retryable credentials && !credentials.isRetryable()
                    ? Optional.of(
                            "the credentials were refused. Check GOOGLE_APPLICATION_CREDENTIALS, the key's validity, and this machine's clock.")
                    : Optional.empty();
        }
    }
}
