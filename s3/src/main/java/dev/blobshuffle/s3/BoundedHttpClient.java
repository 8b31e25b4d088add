package dev.blobshuffle.s3;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.time.Time.Cancellable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * An HTTP client each of whose requests has an end, with the body of its answer. A socket's timeout ends reads only, so that a server that accepts and does not read holds a writer for
 * ever; and the SDK's own timeout is lost when it comes in the moment before the request is handed to the HTTP client. Thread-safe.
 */
final class BoundedHttpClient implements SdkHttpClient {
    private final SdkHttpClient client;
    private final Duration limit;
    private final Time time;

    BoundedHttpClient(SdkHttpClient client, Duration limit, Time time) {
        this.client = client;
        this.limit = limit;
        this.time = time;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new BoundedRequest(client.prepareRequest(request));
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
    }

    /** One request. Called by one thread, aborted by any. */
    private final class BoundedRequest implements ExecutableHttpRequest {
        private final ExecutableHttpRequest request;
        private volatile boolean isGivenUp;

        BoundedRequest(ExecutableHttpRequest request) {
            this.request = request;
        }

        @Override
        public HttpExecuteResponse call() throws IOException {
            Cancellable end = time.schedule(limit, this::giveUp);
            try {
                HttpExecuteResponse response = request.call();
                if (response.responseBody().isEmpty()) {
                    end.cancel();
                    return response;
                }
                AbortableInputStream body = response.responseBody().get();
                return HttpExecuteResponse.builder()
                        .response(response.httpResponse())
                        .responseBody(AbortableInputStream.create(new BoundedBody(body, end), () -> {
                            end.cancel();
                            body.abort();
                        }))
                        .build();
            } catch (IOException e) {
                end.cancel();
                throw explained(e);
            } catch (RuntimeException | Error e) {
                end.cancel();
                throw e;
            }
        }

        /** Closes the connection under whoever reads or writes. */
        private void giveUp() {
            isGivenUp = true;
            request.abort();
        }

        private IOException explained(IOException failure) {
            if (!isGivenUp) {
                return failure;
            }
            SocketTimeoutException timeout = new SocketTimeoutException("no end after " + limit.toMillis() + " ms");
            timeout.addSuppressed(failure);
            return timeout;
        }

        @Override
        public void abort() {
            request.abort();
        }

        /** The body of an answer. Owned by the thread that reads. */
        private final class BoundedBody extends FilterInputStream {
            private final Cancellable end;

            BoundedBody(InputStream body, Cancellable end) {
                super(body);
                this.end = end;
            }

            @Override
            public int read() throws IOException {
                try {
                    return super.read();
                } catch (IOException e) {
                    throw explained(e);
                }
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                try {
                    return super.read(to, offset, length);
                } catch (IOException e) {
                    throw explained(e);
                }
            }

            @Override
            public void close() throws IOException {
                end.cancel();
                super.close();
            }
        }
    }
}
