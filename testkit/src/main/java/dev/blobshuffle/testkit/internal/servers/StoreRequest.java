package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * A single request of a test to a server, to prepare it without the client under test. Stateless.
 */
final class StoreRequest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private StoreRequest() {}

    /** Sends a request, which must succeed. */
    static void send(HttpRequest.Builder builder) {
        HttpRequest request = builder.timeout(PATIENCE).build();
        try {
            HttpResponse<String> response = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .build()
                    .send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IllegalStateException("Cannot prepare a server: " + request.method() + " " + request.uri()
                        + " answered " + response.statusCode() + ", " + response.body() + ".");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot prepare a server: " + e + ". See its log.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot prepare a server: interrupted. Let the thread wait.", e);
        }
    }
}
