package dev.blobshuffle.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.BinaryData;
import com.azure.core.util.FluxUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An answer of {@link AzureHttpClient}. Owned by one thread, which closes it. */
final class ApacheHttpResponse extends HttpResponse {
    /** The most bytes of an answer. Listings have a few megabytes. */
    private static final int LONGEST = 64 << 20;

    private static final int FIRST_FAILURE = 300;

    private final ClassicHttpResponse response;
    private final HttpHeaders headers = new HttpHeaders();
    private final InputStream body;

    private ApacheHttpResponse(HttpRequest request, ClassicHttpResponse response, InputStream body) {
        super(request);
        this.response = response;
        this.body = body;
        for (Header header : response.getHeaders()) {
            headers.add(HttpHeaderName.fromString(header.getName()), header.getValue());
        }
    }

    /** An answer whose body has been read. Its connection is free. */
    static ApacheHttpResponse read(HttpRequest request, ClassicHttpResponse response) throws IOException {
        try (response) {
            byte[] bytes = content(response).readNBytes(LONGEST);
            return new ApacheHttpResponse(request, response, new ByteArrayInputStream(bytes));
        }
    }

    /** An answer whose body is read from the connection later, unless it describes a failure. */
    static ApacheHttpResponse streamed(HttpRequest request, ClassicHttpResponse response) throws IOException {
        if (response.getCode() >= FIRST_FAILURE) {
            return read(request, response);
        }
        return new ApacheHttpResponse(request, response, content(response));
    }

    private static InputStream content(ClassicHttpResponse response) throws IOException {
        HttpEntity entity = response.getEntity();
        InputStream content = entity == null ? null : entity.getContent();
        return content == null ? InputStream.nullInputStream() : content;
    }

    @Override
    public int getStatusCode() {
        return response.getCode();
    }

    @Override
    @Deprecated
    public String getHeaderValue(String name) {
        return headers.getValue(HttpHeaderName.fromString(name));
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public InputStream getBodyAsInputStreamSync() {
        return body;
    }

    /** The body as a stream, so a blob is not copied. */
    @Override
    public BinaryData getBodyAsBinaryData() {
        return BinaryData.fromStream(body);
    }

    @Override
    public Flux<ByteBuffer> getBody() {
        return FluxUtil.toFluxByteBuffer(body);
    }

    @Override
    public Mono<byte[]> getBodyAsByteArray() {
        return Mono.fromCallable(this::bytes);
    }

    @Override
    public Mono<String> getBodyAsString() {
        return getBodyAsString(StandardCharsets.UTF_8);
    }

    @Override
    public Mono<String> getBodyAsString(Charset charset) {
        return Mono.fromCallable(() -> new String(bytes(), charset));
    }

    private byte[] bytes() {
        try {
            return body.readNBytes(LONGEST);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Closes the body first, which returns the connection to the pool. Closing only the answer
     * would close the connection.
     */
    @Override
    public void close() {
        try {
            body.close();
            response.close();
        } catch (IOException e) {
            // The connection is closed, which is the purpose.
        }
    }
}
