package dev.blobshuffle.http.internal;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;

/**
 * Maps HTTP statuses and failed connections to the failures of a store, each with its remedy.
 * Thread-safe.
 */
public final class HttpFailures {
    private static final int BAD_REQUEST = 400;
    private static final int TOO_MANY_REQUESTS = 429;

    private final String location;
    private final HttpDialect dialect;

    /**
     * The failures of one store.
     *
     * @param location the store's location for messages
     */
    public HttpFailures(String location, HttpDialect dialect) {
        this.location = location;
        this.dialect = dialect;
    }

    /**
     * The failure to throw for an answer.
     *
     * @param attempt completes "Cannot … LOCATION"
     */
    public StoreUnavailableException answered(String attempt, HttpAnswer answer) {
        String code = answer.code().isEmpty() ? "" : " " + answer.code();
        String text = start(attempt) + "HTTP " + answer.status() + code + ". ";
        if (answer.status() == TOO_MANY_REQUESTS || dialect.isThrottled(answer)) {
            return new StoreThrottledException(text + dialect.throttledRemedy(), answer.cause());
        }
        if (answer.status() == BAD_REQUEST && dialect.isChanged(answer)) {
            return new StoreUnavailableException(
                    text + "The bytes changed on their way. If it lasts, check memory and network.", answer.cause());
        }
        return dialect.remedy(answer)
                .<StoreUnavailableException>map(remedy -> new StoreRefusedException(text + remedy, answer.cause()))
                .orElseGet(() -> new StoreUnavailableException(
                        text + "If it lasts, look at the service's status page.", answer.cause()));
    }

    /**
     * The failure to throw for an exception without an answer. It describes the outermost known
     * cause.
     *
     * @param attempt completes "Cannot … LOCATION"
     */
    public StoreUnavailableException unanswered(String attempt, Throwable e) {
        String start = start(attempt);
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            Optional<String> refusal = dialect.refusedCredentials(cause);
            if (refusal.isPresent()) {
                return new StoreRefusedException(start + refusal.get(), e);
            }
            Optional<String> reason = reason(cause);
            if (reason.isPresent()) {
                return new StoreUnavailableException(start + reason.get(), e);
            }
        }
        return new StoreUnavailableException(start + e + ". Check the network and the service's status page.", e);
    }

    /** The reason in an exception of a connection; empty for other exceptions. */
    private Optional<String> reason(Throwable cause) {
        if (cause instanceof UnknownHostException) {
            return Optional.of("the host " + cause.getMessage() + " is not known. " + dialect.hostRemedy());
        }
        if (cause instanceof SSLException) {
            return Optional.of("TLS failed, " + cause.getMessage()
                    + ". Check the endpoint, and that the JVM trusts its certificate (javax.net.ssl.trustStore).");
        }
        if (cause instanceof ConnectTimeoutException || cause instanceof ConnectException) {
            return Optional.of("no connection, " + cause.getMessage()
                    + ". Check the endpoint, firewalls and proxies (https.proxyHost).");
        }
        if (cause instanceof SocketTimeoutException) {
            return Optional.of("no answer in time. Check the network and the service's status page.");
        }
        return Optional.empty();
    }

    private String start(String attempt) {
        return "Cannot " + attempt + " " + location + ": ";
    }
}
