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
import dev.blobshuffle.core.store.BucketBlobStore;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * A client of Google Cloud Storage that sends each request once, over a pool of connections as large as the number of requests that a store has under way, so that no
 * request waits for a connection. Proxies and TLS trust by the JVM's system properties. Thread-safe.
 */
final class GcsClient implements AutoCloseable {
    /** Some for tokens beside the store's requests. */
    private static final int CONNECTIONS =
            BucketBlobStore.WRITERS + BucketBlobStore.READERS + BucketBlobStore.OTHERS + 4;

    private static final int CONNECT_TIMEOUT_MILLIS = 1000;

    /** Without a byte for so long a request counts as lost. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(15);

    /** With the sending of its body and all, for the read timeout ends no write: a server that does not read would hold a writer and its buffers for ever. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Services and balancers close idle connections without a word that arrives; a request on such a one waits for its timeout. */
    private static final Timeout IDLE_LIMIT = Timeout.ofSeconds(5);

    private static final TimeValue LIFETIME = TimeValue.ofMinutes(5);

    /** The client wants a project, which requests for objects do not use; without one it would ask the machine's metadata service for seconds. */
    private static final String NO_PROJECT = "none";

    private final Duration readTimeout;
    private final CloseableHttpClient connections;
    private final Apache5HttpTransport transport;

    GcsClient(Time time) {
        this(READ_TIMEOUT, LIMIT, time);
    }

    /**
     * A client.
     *
     * @param readTimeout the longest silence of the service
     * @param limit the longest that a request may take until its answer begins
     */
    GcsClient(Duration readTimeout, Duration limit, Time time) {
        this.readTimeout = readTimeout;
        connections = connections(readTimeout, limit, time);
        transport = new Apache5HttpTransport(connections);
    }

    Apache5HttpTransport transport() {
        return transport;
    }

    Storage storage(Credentials credentials, Optional<String> endpoint, Optional<String> project) {
        StorageOptions.Builder options = StorageOptions.http()
                .setTransportOptions(HttpTransportOptions.newBuilder()
                        .setHttpTransportFactory(() -> transport)
                        .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
                        .setReadTimeout((int) readTimeout.toMillis())
                        .build())
                .setRetrySettings(ServiceOptions.getNoRetrySettings())
                .setStorageRetryStrategy(new SendOnce())
                .setHeaderProvider(FixedHeaderProvider.create("User-Agent", "blobshuffle"))
                .setCredentials(credentials)
                .setProjectId(project.orElse(NO_PROJECT));
        endpoint.ifPresent(options::setHost);
        return options.build().getService();
    }

    private static CloseableHttpClient connections(Duration readTimeout, Duration limit, Time time) {
        return HttpClients.custom()
                .useSystemProperties()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .useSystemProperties()
                        .setMaxConnTotal(CONNECTIONS)
                        .setMaxConnPerRoute(CONNECTIONS)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(CONNECT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                                .setSocketTimeout(Timeout.of(readTimeout))
                                .setIdleTimeout(IDLE_LIMIT)
                                .setTimeToLive(LIFETIME)
                                .build())
                        .setDefaultSocketConfig(
                                SocketConfig.custom().setSoKeepAlive(true).build())
                        .build())
                .addExecInterceptorFirst(
                        "limit", (request, scope, chain) -> bounded(chain, scope, request, limit, time))
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableContentCompression()
                .build();
    }

    /** Ends the request when its time is over, by closing the connection under whoever reads or writes. */
    private static ClassicHttpResponse bounded(
            ExecChain chain, ExecChain.Scope scope, ClassicHttpRequest request, Duration limit, Time time)
            throws IOException, HttpException {
        Time.Cancellable end = time.schedule(limit, () -> {
            if (scope.originalRequest instanceof Cancellable sent) {
                boolean ignored = sent.cancel();
            }
        });
        try {
            return chain.proceed(request, scope);
        } finally {
            end.cancel();
        }
    }

    @Override
    public void close() {
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close connections to gs://: " + e.getMessage() + ".", e);
        }
    }

    /** Retries are decorators of the store. */
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
