package dev.blobshuffle.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeader;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import dev.blobshuffle.core.store.BucketBlobStore;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import reactor.core.publisher.Mono;

/**
 * The transport of our Azure clients: Apache's blocking client, which reads a request's body on the calling thread and not after the call. The transports that Azure
 * offers are asynchronous, may still hold buffers of a body when its request has failed, and bring Netty or copy. Over a pool of connections as large as
 * the number of requests that a store has under way. Proxies and TLS trust by the JVM's system properties. Thread-safe.
 */
final class ApacheHttpClient implements HttpClient, AutoCloseable {
    /** The key of a request's context that leaves the answer's body on the connection until it is read; otherwise it is read at once. */
    static final String STREAMED = "blobshuffle-streamed";

    /** Some for tokens beside the store's requests. */
    private static final int CONNECTIONS =
            BucketBlobStore.WRITERS + BucketBlobStore.READERS + BucketBlobStore.OTHERS + 4;

    private static final int CONNECT_TIMEOUT_MILLIS = 1000;

    /** Without a byte for so long a request counts as lost. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(15);

    /** With the sending of its body and all, for the read timeout ends no write: a server that does not read would hold a writer and its buffers for ever. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Balancers close idle connections without a word that arrives; a request on such a one waits for its timeout. */
    private static final Timeout IDLE_LIMIT = Timeout.ofSeconds(5);

    private static final TimeValue LIFETIME = TimeValue.ofMinutes(5);

    /** Set by Apache's client itself. */
    private static final Set<String> TRANSPORT_HEADERS = Set.of("content-length", "host", "transfer-encoding");

    private final CloseableHttpClient connections;

    ApacheHttpClient(Time time) {
        this(READ_TIMEOUT, LIMIT, time);
    }

    /**
     * A client.
     *
     * @param readTimeout the longest silence of the service
     * @param limit the longest that a request may take until its answer begins
     */
    ApacheHttpClient(Duration readTimeout, Duration limit, Time time) {
        connections = HttpClients.custom()
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
                .disableDefaultUserAgent()
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
    public Mono<HttpResponse> send(HttpRequest request) {
        return send(request, Context.NONE);
    }

    @Override
    public Mono<HttpResponse> send(HttpRequest request, Context context) {
        return Mono.fromCallable(() -> sendSync(request, context));
    }

    @Override
    public HttpResponse sendSync(HttpRequest request, Context context) {
        try {
            URI uri = request.getUrl().toURI();
            HttpHost host = new HttpHost(uri.getScheme(), uri.getHost(), uri.getPort());
            ClassicHttpResponse response = connections.executeOpen(host, translated(request, uri), null);
            return context.getData(STREAMED).isPresent()
                    ? ApacheHttpResponse.streamed(request, response)
                    : ApacheHttpResponse.read(request, response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            // Not the cause: its message holds the URL, and that a token.
            throw new IllegalArgumentException("Cannot send a request: its URL is not a URI (" + e.getReason()
                    + "). Check AZURE_STORAGE_SAS_TOKEN for quotes, blanks and line ends.");
        }
    }

    private static HttpUriRequestBase translated(HttpRequest request, URI uri) {
        HttpUriRequestBase translated =
                new HttpUriRequestBase(request.getHttpMethod().toString(), uri);
        for (HttpHeader header : request.getHeaders()) {
            if (!TRANSPORT_HEADERS.contains(header.getName().toLowerCase(java.util.Locale.ROOT))) {
                header.getValuesList().forEach(value -> translated.addHeader(header.getName(), value));
            }
        }
        BinaryData body = request.getBodyAsBinaryData();
        if (body != null) {
            translated.setEntity(new BodyEntity(body));
        }
        return translated;
    }

    @Override
    public void close() {
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close connections to az://: " + e.getMessage() + ".", e);
        }
    }

    /** A request's body, of known length; its type is among the request's headers. Owned by the thread that sends. */
    private static final class BodyEntity extends AbstractHttpEntity {
        private final BinaryData body;
        private final long length;

        BodyEntity(BinaryData body) {
            super((String) null, null);
            this.body = body;
            Long known = body.getLength();
            length = known == null ? -1 : known;
        }

        @Override
        public long getContentLength() {
            return length;
        }

        @Override
        public InputStream getContent() {
            return body.toStream();
        }

        /** By a channel: to a stream the body would copy each of its buffers whole. */
        @Override
        public void writeTo(OutputStream out) throws IOException {
            body.writeTo(Channels.newChannel(out));
        }

        @Override
        public boolean isStreaming() {
            return true;
        }

        @Override
        public void close() {}
    }
}
