package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.http.internal.HttpConnections;
import dev.blobshuffle.http.internal.HttpLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HttpsSupport;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SystemPropertyTlsKeyManagersProvider;

/**
 * The transport of our S3 clients: {@link HttpConnections}, with proxies and TLS by the SDK's
 * conventions. It replaces the SDK's own transport over the same Apache client. In the SDK's
 * transport, a request never ends while a server does not read, and a body is sent in pieces of 8
 * KiB after two copies. Thread-safe.
 */
final class S3HttpClient implements SdkHttpClient {
    /** Length of a piece of a body. It equals a TLS record, so pieces pass without another copy. */
    private static final int PIECE_BYTES = 16 << 10;

    private static final String CONTENT_LENGTH = "Content-Length";

    /**
     * Headers that Apache's client sets itself, and {@code Expect}. {@code Expect} costs a round
     * trip per blob, and seconds with stores that do not answer it. Older SDKs have no option to
     * omit it.
     */
    private static final Set<String> TRANSPORT_HEADERS =
            Set.of("content-length", "expect", "host", "transfer-encoding");

    private final CloseableHttpClient connections;

    S3HttpClient(HttpLimits limits, Time time) {
        Proxies proxies = Proxies.found();
        connections = HttpConnections.by(tls(), proxies, proxies.credentials(), limits, time);
    }

    /**
     * TLS with keys and trust from the current system properties. The JVM creates its own context
     * only once, on first use.
     */
    private static TlsSocketStrategy tls() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(SystemPropertyTlsKeyManagersProvider.create().keyManagers(), null, null);
            return new DefaultClientTlsStrategy(context, HttpsSupport.getDefaultHostnameVerifier());
        } catch (GeneralSecurityException e) {
            throw new InvalidSettingsException(
                    "Cannot open store s3://: this Java cannot make TLS connections (" + e.getMessage()
                            + "). Check javax.net.ssl.trustStore and javax.net.ssl.keyStore.",
                    e);
        }
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        SdkHttpRequest head = request.httpRequest();
        HttpUriRequestBase translated = translated(request);
        HttpHost host = new HttpHost(head.protocol(), head.host(), head.port());
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                return answered(connections.executeOpen(host, translated, null), translated);
            }

            @Override
            public void abort() {
                boolean ignored = translated.cancel();
            }
        };
    }

    private static HttpUriRequestBase translated(HttpExecuteRequest request) {
        SdkHttpRequest head = request.httpRequest();
        HttpUriRequestBase translated = new HttpUriRequestBase(head.method().name(), head.getUri());
        head.forEachHeader((name, values) -> {
            if (!TRANSPORT_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> translated.addHeader(name, value));
            }
        });
        request.contentStreamProvider()
                .ifPresent(content -> translated.setEntity(new BodyEntity(
                        content,
                        head.firstMatchingHeader(CONTENT_LENGTH)
                                .map(Long::parseLong)
                                .orElse(-1L))));
        return translated;
    }

    private static HttpExecuteResponse answered(ClassicHttpResponse response, HttpUriRequestBase request)
            throws IOException {
        SdkHttpFullResponse.Builder head =
                SdkHttpFullResponse.builder().statusCode(response.getCode()).statusText(response.getReasonPhrase());
        for (Header header : response.getHeaders()) {
            head.appendHeader(header.getName(), header.getValue());
        }
        HttpExecuteResponse.Builder answer = HttpExecuteResponse.builder();
        HttpEntity entity = response.getEntity();
        InputStream body = entity == null ? null : entity.getContent();
        if (body == null) {
            response.close();
        } else {
            answer.responseBody(AbortableInputStream.create(body, () -> {
                boolean ignored = request.cancel();
            }));
        }
        return answer.response(head.build()).build();
    }

    @Override
    public String clientName() {
        return "Apache5";
    }

    @Override
    public void close() {
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot close connections to s3://: " + e.getMessage() + ".", e);
        }
    }

    /** A request's body; its type is among the request's headers. Owned by the sending thread. */
    private static final class BodyEntity extends AbstractHttpEntity {
        private final ContentStreamProvider content;
        private final long length;

        BodyEntity(ContentStreamProvider content, long length) {
            super((String) null, null);
            this.content = content;
            this.length = length;
        }

        @Override
        public long getContentLength() {
            return length;
        }

        @Override
        public InputStream getContent() {
            return content.newStream();
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            byte[] piece = new byte[length < 0 ? PIECE_BYTES : (int) Math.max(1, Math.min(length, PIECE_BYTES))];
            try (InputStream bytes = content.newStream()) {
                for (int count; (count = bytes.readNBytes(piece, 0, piece.length)) > 0; ) {
                    out.write(piece, 0, count);
                }
            }
        }

        @Override
        public boolean isStreaming() {
            return true;
        }

        @Override
        public void close() {}
    }
}
