package example;

import dev.blobshuffle.kstreams.keyparallel.KeyParallel;
import dev.blobshuffle.kstreams.keyparallel.KeyParallelOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Requests the price of each order from a service, many orders concurrently, and adds up the prices
 * for each customer. The sums go through blobs.
 */
public final class OrderTotals {
    private final HttpClient client = HttpClient.newHttpClient();
    private final URI prices;

    private OrderTotals(URI prices) {
        this.prices = prices;
    }

    public static void main(String[] arguments) throws IOException {
        URI prices = URI.create(System.getenv().getOrDefault("PRICES", "http://localhost:8080/"));
        KafkaStreams streams = new KafkaStreams(new OrderTotals(prices).topology(), settings());
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    /** An order's key is its number, its value {@code customer:article}. */
    private Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("orders", Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(KeyParallel.mapValuesAsync(
                        (number, order) -> priced(order), KeyParallelOptions.named("prices")))
                .map((number, order) -> {
                    String[] parts = order.split(":");
                    return KeyValue.pair(parts[0], Long.valueOf(parts[1]));
                })
                .groupByKey(Grouped.with("by-customer", Serdes.String(), Serdes.Long()))
                .reduce(Long::sum, Materialized.with(Serdes.String(), Serdes.Long()))
                .toStream()
                .to("totals", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    /** Replaces the article in {@code customer:article} by its price. */
    private CompletionStage<String> priced(String order) {
        String[] parts = order.split(":");
        HttpRequest question = HttpRequest.newBuilder(prices.resolve(parts[1])).build();
        return client.sendAsync(question, BodyHandlers.ofString()).thenApply(answer -> {
            if (answer.statusCode() != 200) {
                throw new IllegalStateException("no price for " + parts[1] + ": status " + answer.statusCode());
            }
            return parts[0] + ":" + answer.body();
        });
    }

    /** The settings of {@code application.properties}, and those that differ between machines. */
    private static Properties settings() throws IOException {
        Properties settings = new Properties();
        try (InputStream file = OrderTotals.class.getResourceAsStream("/application.properties")) {
            settings.load(file);
        }
        Map<String, String> environment = System.getenv();
        settings.put("bootstrap.servers", environment.getOrDefault("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"));
        settings.put("blobshuffle.store", environment.getOrDefault("BLOB_STORE", "file:///var/lib/blobs"));
        settings.put("state.dir", environment.getOrDefault("STATE_DIR", "/tmp/order-totals"));
        return settings;
    }
}
