package dev.blobshuffle.gcs;

import com.google.auth.Retryable;
import com.google.cloud.storage.StorageException;
import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreThrottled;
import dev.blobshuffle.core.failure.StoreUnavailable;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;

/** What the client's exceptions mean for whoever uses a bucket, and what to do about them. Thread-safe. */
final class GcsFailures {
    /** Reasons of a 403 that mean too many requests. */
    private static final Set<String> THROTTLED = Set.of("rateLimitExceeded", "userRateLimitExceeded");

    private final String location;
    private final String bucket;

    GcsFailures(String location, String bucket) {
        this.location = location;
        this.bucket = bucket;
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
    StoreUnavailable of(String attempt, Throwable e) {
        String start = "Cannot " + attempt + " " + location + ": ";
        int status = status(e);
        return status == 0 ? withoutAnswer(start, e) : answered(start, status, reason(e), e);
    }

    private StoreUnavailable answered(String start, int status, String reason, Throwable e) {
        String answer = start + "HTTP " + status + (reason.isEmpty() ? "" : " " + reason) + ". ";
        switch (status) {
            case 401:
                return new StoreRefused(
                        answer
                                + "Check the credentials: GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, or the workload's service account.",
                        e);
            case 403:
                if (THROTTLED.contains(reason)) {
                    return throttled(answer, e);
                }
                return new StoreRefused(
                        answer + "Grant the service account roles/storage.objectUser on bucket " + bucket
                                + ", and check that billing of its project is on.",
                        e);
            case 404:
                return new StoreRefused(
                        answer + "Make bucket " + bucket + ", or correct its name in blobshuffle.store.", e);
            case 429:
                return throttled(answer, e);
            case 503:
                // Without a reason it is a balancer's or proxy's: no reason to ask less, but one to break the circuit.
                return reason.isEmpty() ? unavailable(answer, e) : throttled(answer, e);
            case 400:
                return badRequest(answer, e);
            default:
                return unavailable(answer, e);
        }
    }

    private static StoreUnavailable unavailable(String answer, Throwable e) {
        return new StoreUnavailable(answer + "If it lasts, look at the service's status page.", e);
    }

    private static StoreUnavailable throttled(String answer, Throwable e) {
        return new StoreThrottled(
                answer + "If it lasts, write larger blobs (batch.max.bytes), or ask for a higher quota.", e);
    }

    /** A checksum that differs is an accident on the way and the next attempt may do better; a name that is none stays so. */
    private StoreUnavailable badRequest(String answer, Throwable e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("CRC32C") || message.contains("crc32c")) {
            return new StoreUnavailable(
                    answer + "The bytes changed on their way. If it lasts, check memory and network.", e);
        }
        return new StoreRefused(answer + "Check the name of bucket " + bucket + " in blobshuffle.store.", e);
    }

    private static StoreUnavailable withoutAnswer(String start, Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof Retryable credentials && !credentials.isRetryable()) {
                return new StoreRefused(
                        start
                                + "the credentials were refused. Check GOOGLE_APPLICATION_CREDENTIALS, the key's validity, and this machine's clock.",
                        e);
            }
            if (cause instanceof UnknownHostException) {
                return new StoreUnavailable(
                        start + "the host " + cause.getMessage() + " is not known. Check the endpoint and DNS.", e);
            }
            if (cause instanceof SSLException) {
                return new StoreUnavailable(
                        start + "TLS failed, " + cause.getMessage()
                                + ". Check the endpoint, and that the JVM trusts its certificate (javax.net.ssl.trustStore).",
                        e);
            }
            if (cause instanceof ConnectTimeoutException || cause instanceof ConnectException) {
                return new StoreUnavailable(
                        start + "no connection, " + cause.getMessage()
                                + ". Check the endpoint, firewalls and proxies (https.proxyHost).",
                        e);
            }
            if (cause instanceof SocketTimeoutException) {
                return new StoreUnavailable(
                        start + "no answer in time. Check the network and the service's status page.", e);
            }
        }
        return new StoreUnavailable(start + e + ". Check the network and the service's status page.", e);
    }

    private static String reason(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof StorageException storage && storage.getReason() != null) {
                return storage.getReason();
            }
        }
        return "";
    }
}
