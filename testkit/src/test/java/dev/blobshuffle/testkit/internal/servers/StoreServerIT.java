package dev.blobshuffle.testkit.internal.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StoreServerIT {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    static Stream<Arguments> servers() {
        return Stream.of(
                Arguments.of("versitygw", (Function<Path, StoreServer>) VersityGateway::start),
                Arguments.of("fake-gcs-server", (Function<Path, StoreServer>) FakeGcsServer::start),
                Arguments.of("azurite", (Function<Path, StoreServer>) Azurite::start));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void aServerAnswersUntilItIsKilledAndAgainAfterARestart(String name, Function<Path, StoreServer> start)
            throws Exception {
        URI endpoint;
        try (StoreServer server = start.apply(directory)) {
            endpoint = server.endpoint();
            assertThat(status(endpoint, LONG)).isPositive();
            server.pause();
            assertThatThrownBy(() -> status(endpoint, Duration.ofMillis(100))).isInstanceOf(HttpTimeoutException.class);
            server.resume();
            assertThat(status(endpoint, LONG)).isPositive();
            server.kill();
            assertThatThrownBy(() -> status(endpoint, LONG)).isInstanceOf(IOException.class);
            server.restart();
            assertThat(status(endpoint, LONG)).isPositive();
        }
        assertThatThrownBy(() -> status(endpoint, LONG)).isInstanceOf(IOException.class);
    }

    /** A client of its own each time, so that no connection is reused. */
    private static int status(URI endpoint, Duration timeout) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(endpoint).timeout(timeout).build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }
}
