package dev.blobshuffle.http.internal;

import dev.blobshuffle.core.time.Time;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.routing.HttpRoutePlanner;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * Creates the HTTP client of a store: Apache's blocking client, which reads a request's body only
 * during the call, on the calling thread. It sends each request once and unchanged (no retries,
 * redirects, cookies, compression). It ends each request at its time limit, and sends bodies in
 * full TLS records. Stateless.
 */
public final class HttpConnections {
    /**
     * The idle time after which a connection is closed. Services and load balancers close idle
     * connections (S3 after about ten seconds), and the client may not notice. A request on such a
     * connection waits until its timeout.
     */
    private static final TimeValue IDLE_LIMIT = TimeValue.ofSeconds(5);

    /**
     * The age at which connections are renewed, so that requests follow changes of the service's
     * addresses.
     */
    private static final TimeValue LIFETIME = TimeValue.ofMinutes(5);

    private HttpConnections() {}

    /** A client with proxies and TLS trust from the JVM's system properties. */
    public static CloseableHttpClient bySystemProperties(HttpLimits limits, Time time) {
        return client(limits, time)
                .useSystemProperties()
                .setConnectionManager(pool(limits).useSystemProperties().build())
                .build();
    }

    /**
     * A client with proxies and TLS trust from other sources.
     *
     * @param tls secures a connection
     * @param routes finds the proxy of a request
     * @param credentials the credentials for proxies
     */
    public static CloseableHttpClient by(
            TlsSocketStrategy tls,
            HttpRoutePlanner routes,
            CredentialsProvider credentials,
            HttpLimits limits,
            Time time) {
        return client(limits, time)
                .setRoutePlanner(routes)
                .setDefaultCredentialsProvider(credentials)
                .setConnectionManager(pool(limits).setTlsSocketStrategy(tls).build())
                .build();
    }

    private static PoolingHttpClientConnectionManagerBuilder pool(HttpLimits limits) {
        return PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnTotal(limits.connections())
                .setMaxConnPerRoute(limits.connections())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(limits.connect().toMillis(), TimeUnit.MILLISECONDS)
                        .setSocketTimeout(Timeout.of(limits.silence()))
                        .setTimeToLive(LIFETIME)
                        .build())
                .setDefaultSocketConfig(SocketConfig.custom()
                        .setSoKeepAlive(true)
                        .setTcpNoDelay(true)
                        .build());
    }

    private static HttpClientBuilder client(HttpLimits limits, Time time) {
        return HttpClients.custom()
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setConnectionRequestTimeout(Timeout.of(limits.silence()))
                        .setProtocolUpgradeEnabled(false)
                        .build())
                .setKeepAliveStrategy(HttpConnections::idleLimit)
                .addExecInterceptorFirst("tls-records", FullTlsRecords::send)
                .addExecInterceptorFirst("limit", new RequestLimit(limits.request(), time))
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .disableContentCompression()
                .disableDefaultUserAgent();
    }

    /** The idle time of a connection. A service can shorten it, but not extend it. */
    static TimeValue idleLimit(HttpResponse response, HttpContext context) {
        TimeValue asked = DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(response, context);
        return TimeValue.isNonNegative(asked) && asked.compareTo(IDLE_LIMIT) < 0 ? asked : IDLE_LIMIT;
    }
}
