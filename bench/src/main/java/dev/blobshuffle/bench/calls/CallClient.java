package dev.blobshuffle.bench.calls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Calls the service with the JDK's client, over connections that stay open. The answers are empty;
 * the result of a call is the value that was passed in. Thread-safe.
 */
final class CallClient {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI service;

    CallClient(URI service) {
        this.service = service;
    }

    /** Calls the service, and waits for the answer. */
    String call(String value, int latencyMillis) {
        try {
            return checked(client.send(request(latencyMillis), BodyHandlers.discarding()), value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    /** Calls the service. The stage completes with the answer. */
    CompletionStage<String> begin(String value, int latencyMillis) {
        return client.sendAsync(request(latencyMillis), BodyHandlers.discarding())
                .thenApply(answer -> checked(answer, value));
    }

    private HttpRequest request(int latencyMillis) {
        return HttpRequest.newBuilder(service.resolve("/" + latencyMillis)).build();
    }

    private static String checked(HttpResponse<Void> answer, String value) {
        if (answer.statusCode() != HttpURLConnection.HTTP_OK) {
            throw new IllegalStateException("status " + answer.statusCode());
        }
        return value;
    }
}
