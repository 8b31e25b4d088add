package dev.blobshuffle.gcs;

import com.google.api.client.http.apache.v5.Apache5HttpTransport;
import com.google.api.gax.retrying.BasicResultRetryAlgorithm;
import com.google.api.gax.retrying.ResultRetryAlgorithm;
import com.google.api.gax.rpc.FixedHeaderProvider;
import com.google.auth.Credentials;
import com.google.cloud.ServiceOptions;
import com.google.cloud.http.HttpTransportOptions;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageOptions;
import com.google.cloud.storage.StorageRetryStrategy;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.http.internal.HttpConnections;
import dev.blobshuffle.http.internal.HttpLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;

/**
 * A client of Google Cloud Storage that sends each request once. Its pool has as many connections
 * as a store has requests in flight, so no request waits for a connection. Proxies and TLS trust
 * follow the JVM's system properties. Thread-safe.
 */
final class GcsClient implements AutoCloseable {
    /**
     * The client requires a project, although requests for objects do not use it. Without one, it
     * would query the machine's metadata service for seconds.
     */
    private static final String NO_PROJECT = "none";

    private final HttpLimits limits;
    private final CloseableHttpClient connections;
    private final Apache5HttpTransport transport;

    GcsClient(HttpLimits limits, Time time) {
        this.limits = limits;
        connections = HttpConnections.bySystemProperties(limits, time);
        transport = new Apache5HttpTransport(connections);
    }

    Apache5HttpTransport transport() {
        return transport;
    }

    Storage storage(Credentials credentials, Optional<String> endpoint, Optional<String> project) {
        StorageOptions.Builder options = StorageOptions.http()
                .setTransportOptions(HttpTransportOptions.newBuilder()
                        .setHttpTransportFactory(() -> transport)
                        .setConnectTimeout((int) limits.connect().toMillis())
                        .setReadTimeout((int) limits.silence().toMillis())
                        .build())
                .setRetrySettings(ServiceOptions.getNoRetrySettings())
                .setStorageRetryStrategy(new SendOnce())
                .setHeaderProvider(FixedHeaderProvider.create("User-Agent", "blobshuffle"))
                .setCredentials(credentials)
                .setProjectId(project.orElse(NO_PROJECT));
        endpoint.ifPresent(options::setHost);
        return options.build().getService();
    }

    @Override
    public void close() {
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close connections to gs://: " + e.getMessage() + ".", e);
        }
    }

    /** Turns retries off, because decorators of the store retry. */
    private static final class SendOnce implements StorageRetryStrategy {
        private static final long serialVersionUID = 1L;

        @Override
        public ResultRetryAlgorithm<?> getIdempotentHandler() {
            return new Never();
        }

        @Override
        public ResultRetryAlgorithm<?> getNonidempotentHandler() {
            return new Never();
        }
    }

    private static final class Never extends BasicResultRetryAlgorithm<Object> {
        @Override
        public boolean shouldRetry(Throwable failure, Object response) {
            return false;
        }
    }
}
