package dev.blobshuffle.azure;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.storage.blob.models.BlobStorageException;
import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreThrottled;
import dev.blobshuffle.core.failure.StoreUnavailable;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;

/** What the service's answers and the client's exceptions mean for whoever uses a container, and what to do about them. Thread-safe. */
final class AzureFailures {
    /** Codes that mean too many requests, with status 500 or 503. */
    private static final Set<String> THROTTLED = Set.of("ServerBusy", "OperationTimedOut");

    /** Codes of a 400 that mean that the body is not what was sent. */
    private static final Set<String> CHANGED = Set.of("Crc64Mismatch", "Md5Mismatch");

    private final String location;
    private final String container;

    AzureFailures(String location, String container) {
        this.location = location;
        this.container = container;
    }

    /**
     * The failure to throw for an exception.
     *
     * @param attempt completes "Cannot … az://account/container"
     */
    StoreUnavailable of(String attempt, Throwable e) {
        String start = "Cannot " + attempt + " " + location + ": ";
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof BlobStorageException storage && storage.getStatusCode() != 0) {
                return of(attempt, storage.getStatusCode(), String.valueOf(storage.getErrorCode()));
            }
            if (cause instanceof ClientAuthenticationException) {
                return refusedCredentials(start, e);
            }
            if (cause instanceof HttpResponseException http && http.getResponse() != null) {
                return of(attempt, http.getResponse().getStatusCode(), "");
            }
            if (cause instanceof UnknownHostException) {
                return new StoreUnavailable(
                        start + "the host " + cause.getMessage()
                                + " is not known. Check the account's name, the endpoint and DNS.",
                        e);
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

    private static StoreUnavailable refusedCredentials(String start, Throwable e) {
        return new StoreRefused(
                start
                        + "no credentials were found, or they were refused. Set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run `az login`, or give the workload an identity.",
                e);
    }

    /**
     * The failure to throw for an answer.
     *
     * @param code the service's code, empty if it gave none
     */
    StoreUnavailable of(String attempt, int status, String code) {
        String answer =
                "Cannot " + attempt + " " + location + ": HTTP " + status + (code.isEmpty() ? "" : " " + code) + ". ";
        // A 503 without a code is a balancer's or proxy's: no reason to ask less, but one to break the circuit.
        if (status == 429 || THROTTLED.contains(code)) {
            return new StoreThrottled(answer
                    + "If it lasts, write larger blobs (batch.max.bytes), or use an account with a higher limit.");
        }
        switch (status) {
            case 401:
                return new StoreRefused(
                        answer
                                + "Check the credentials: AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING, `az login`, or the workload's identity.");
            case 403:
                return new StoreRefused(answer
                        + (code.equals("AuthenticationFailed")
                                ? "Check the key or SAS token, its expiry, and this machine's clock."
                                : "Grant the role Storage Blob Data Contributor on container " + container
                                        + ", and check the account's firewall."));
            case 404:
                return new StoreRefused(answer + "Make container " + container
                        + ", or correct the account and the container in blobshuffle.store.");
            case 400:
                return CHANGED.contains(code)
                        ? new StoreUnavailable(
                                answer + "The bytes changed on their way. If it lasts, check memory and network.")
                        : new StoreRefused(
                                answer + "Check the container's name and the endpoint in blobshuffle.store.");
            case 409:
                return new StoreRefused(answer
                        + "Check that the account is enabled, and that no lease, policy or deletion stands on container "
                        + container + ".");
            default:
                return new StoreUnavailable(answer + "If it lasts, look at the service's status page.");
        }
    }
}
