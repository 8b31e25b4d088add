package dev.blobshuffle.cli.plan;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;

/** Reads the text of an application's metrics from a file or a URL, without parsing. Stateless. */
final class MetricsText {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 16 << 20;

    private MetricsText() {}

    /**
     * The text at a place.
     *
     * @param place an http URL, or a file
     * @throws PlanFailedException if it is unreadable, empty or longer than 16 MiB
     */
    static String at(String place) {
        try {
            byte[] text = place.startsWith("http://") || place.startsWith("https://") ? fetch(place) : read(place);
            if (text.length > LARGEST) {
                throw new PlanFailedException("Cannot read metrics from " + place
                        + ": it has more than 16 MiB. Give the metrics of one application.");
            }
            String decoded = new String(text, StandardCharsets.UTF_8);
            if (decoded.isBlank()) {
                throw new PlanFailedException("Cannot read metrics from " + place
                        + ": it is empty. Does the application run, and show its metrics there?");
            }
            return decoded;
        } catch (IOException | IllegalArgumentException e) {
            throw new PlanFailedException(
                    "Cannot read metrics from " + place + ": " + e
                            + ". Give a readable file, or check address and network.",
                    e);
        }
    }

    private static byte[] read(String place) throws IOException {
        Path file;
        try {
            file = Path.of(place);
        } catch (InvalidPathException e) {
            throw new PlanFailedException("Cannot read metrics from " + place + ": this is not the name of a file.", e);
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new PlanFailedException("Cannot read metrics from " + place
                    + ": there is no readable file. Give another one, or an http URL.");
        }
        try (InputStream bytes = Files.newInputStream(file)) {
            return bytes.readNBytes(LARGEST + 1);
        }
    }

    private static byte[] fetch(String url) throws IOException {
        HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                if (response.statusCode() != 200) {
                    throw new PlanFailedException("Cannot read metrics: " + url + " answered " + response.statusCode()
                            + ". Give the URL of the metrics, for example http://HOST:9400/metrics.");
                }
                return body.readNBytes(LARGEST + 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlanFailedException("Cannot read metrics from " + url + ": interrupted. Try again.", e);
        }
    }
}
