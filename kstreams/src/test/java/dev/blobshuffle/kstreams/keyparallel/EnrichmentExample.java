package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Each visit gets the country of its address, which an HTTP service knows. The guide shows this.
 */
final class EnrichmentExample {
    private EnrichmentExample() {}

    // begin of the guide's example
    static Topology topology(URI service) {
        HttpClient client = HttpClient.newHttpClient();
        KeyParallelOptions options = KeyParallelOptions.builder("geo")
                .timeout(Duration.ofSeconds(1))
                .retries(new RetryPolicy(3, Duration.ofMillis(100), Duration.ofSeconds(1)))
                .build();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("visits", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValuesAsync(
                        (user, address) -> client.sendAsync(
                                        HttpRequest.newBuilder(service.resolve("/" + address))
                                                .build(),
                                        BodyHandlers.ofString())
                                .thenApply(answer -> {
                                    if (answer.statusCode() != 200) {
                                        throw new IllegalStateException("status " + answer.statusCode());
                                    }
                                    return address + " " + answer.body();
                                }),
                        options))
                .to("located", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }
    // end of the guide's example
}
