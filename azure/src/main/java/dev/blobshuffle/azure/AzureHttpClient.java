package dev.blobshuffle.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeader;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.http.internal.HttpConnections;
import dev.blobshuffle.http.internal.HttpLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.Channels;
import java.util.Set;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import reactor.core.publisher.Mono;

/**
 * The transport of our Azure clients: Apache's blocking client, which reads a request's body only
 * during the call, on the calling thread. Azure's own transports are asynchronous and may still
 * hold buffers of a body after its request has failed. They also need Netty or copy the body. The
 * pool has as many connections as a store has requests in flight. Proxies and TLS trust follow the
 * JVM's system properties. Thread-safe.
 */
final class AzureHttpClient implements HttpClient, AutoCloseable {
    /**
     * Key in a request's context. If set, the answer's body stays on the connection until it is
     * read; otherwise it is read at once.
     */
    static final String STREAMED = "blobshuffle-streamed";

    /** Headers that Apache's client sets itself. */
    private static final Set<String> TRANSPORT_HEADERS = Set.of("content-length", "host", "transfer-encoding");

    private final CloseableHttpClient connections;

    AzureHttpClient(HttpLimits limits, Time time) {
        connections = HttpConnections.bySystemProperties(limits, time);
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
            // The exception is not the cause, because its message contains the URL with a token.
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

    /**
     * A request's body, of known length; its type is among the request's headers. Owned by the
     * sending thread.
     */
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

        /**
         * Writes through a channel, because writing to a stream would copy each buffer as a whole.
         */
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
