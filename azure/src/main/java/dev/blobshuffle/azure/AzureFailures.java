package dev.blobshuffle.azure;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.storage.blob.models.BlobStorageException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.http.internal.HttpAnswer;
import dev.blobshuffle.http.internal.HttpDialect;
import dev.blobshuffle.http.internal.HttpFailures;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the service's answers and the client's exceptions to failures with remedies. Thread-safe.
 */
final class AzureFailures {
    private final HttpFailures failures;

    AzureFailures(String location, String container) {
        failures = new HttpFailures(location, new Dialect(container));
    }

    /**
     * The failure to throw for an exception.
     *
     * @param attempt completes "Cannot … az://account/container"
     */
    StoreUnavailableException of(String attempt, Throwable e) {
        for (Throwable cause = e;
                cause != null && !(cause instanceof ClientAuthenticationException);
                cause = cause.getCause()) {
            if (cause instanceof BlobStorageException storage && storage.getStatusCode() != 0) {
                String code = storage.getErrorCode() == null
                        ? ""
                        : storage.getErrorCode().toString();
                return failures.answered(attempt, new HttpAnswer(storage.getStatusCode(), code, e));
            }
            if (cause instanceof HttpResponseException http && http.getResponse() != null) {
                return failures.answered(
                        attempt, new HttpAnswer(http.getResponse().getStatusCode(), "", e));
            }
        }
        return failures.unanswered(attempt, e);
    }

    /**
     * The failure to throw for an answer.
     *
     * @param code the service's code; empty if it sent none
     */
    StoreUnavailableException of(String attempt, int status, String code) {
        return failures.answered(attempt, new HttpAnswer(status, code, null));
    }

    private record Dialect(String container) implements HttpDialect {
        /** Codes that mean too many requests, with status 500 or 503. */
        private static final Set<String> THROTTLED = Set.of("ServerBusy", "OperationTimedOut");

        /** Codes of a 400 that mean that the service received a body other than the one sent. */
        private static final Set<String> CHANGED = Set.of("Crc64Mismatch", "Md5Mismatch");

        /**
         * A 503 without a code comes from a load balancer or proxy. It does not mean throttling,
         * but opens the circuit.
         */
        @Override
        public boolean isThrottled(HttpAnswer answer) {
            return THROTTLED.contains(answer.code());
        }

        @Override
        public boolean isChanged(HttpAnswer answer) {
            return CHANGED.contains(answer.code());
        }

        @Override
        public Optional<String> remedy(HttpAnswer answer) {
            return switch (answer.status()) {
                case 400 -> Optional.of("Check the container's name and the endpoint in blobshuffle.store.");
                case 401 ->
                    Optional.of(
                            "Check the credentials: AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING, `az login`, or the workload's identity.");
                case 403 ->
                    Optional.of(
                            answer.code().equals("AuthenticationFailed")
                                    ? "Check the key or SAS token, its expiry, and this machine's clock."
                                    : "Grant the role Storage Blob Data Contributor on container " + container
                                            + ", and check the account's firewall.");
                case 404 ->
                    Optional.of("Create container " + container
                            + ", or correct the account and the container in blobshuffle.store.");
                case 409 ->
                    Optional.of(
                            "Check that the account is enabled, and that no lease, policy or deletion stands on container "
                                    + container + ".");
                default -> Optional.empty();
            };
        }

        @Override
        public String throttledRemedy() {
            return "If it lasts, write larger blobs (batch.max.bytes), or use an account with a higher limit.";
        }

        @Override
        public String hostRemedy() {
            return "Check the account's name, the endpoint and DNS.";
        }

        @Override
        public Optional<String> refusedCredentials(Throwable cause) {
            return cause instanceof ClientAuthenticationException
                    ? Optional.of(
                            "no credentials were found, or they were refused. Set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run `az login`, or give the workload an identity.")
                    : Optional.empty();
        }
    }
}
