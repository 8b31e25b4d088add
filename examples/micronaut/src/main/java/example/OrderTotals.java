package example;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import io.micronaut.configuration.kafka.streams.ConfiguredStreamBuilder;
import io.micronaut.configuration.kafka.streams.KafkaStreamsFactory;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.runtime.Micronaut;
import jakarta.inject.Singleton;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Adds up each customer's orders. The key of an order is its number, so Kafka Streams repartitions
 * the orders.
 */
@Factory
public class OrderTotals {
    public static void main(String[] arguments) {
        Micronaut.run(OrderTotals.class, arguments);
    }

    /**
     * Provides our client supplier. Micronaut passes one to {@code KafkaStreams}, so the settings
     * alone do not select ours.
     */
    @Singleton
    @Replaces(bean = KafkaClientSupplier.class, factory = KafkaStreamsFactory.class)
    KafkaClientSupplier blobShuffle(ConfiguredStreamBuilder builder) {
        return new BlobShuffleClientSupplier(builder.getConfiguration());
    }

    /** An order's key is its number, its value {@code customer:amount}. */
    @Singleton
    KStream<String, String> orders(ConfiguredStreamBuilder builder) {
        KStream<String, String> orders = builder.stream("orders", Consumed.with(Serdes.String(), Serdes.String()));
        orders.map((number, order) -> {
                    String[] parts = order.split(":");
                    return KeyValue.pair(parts[0], Long.valueOf(parts[1]));
                })
                .groupByKey(Grouped.with("by-customer", Serdes.String(), Serdes.Long()))
                .reduce(Long::sum, Materialized.with(Serdes.String(), Serdes.Long()))
                .toStream()
                .to("totals", Produced.with(Serdes.String(), Serdes.Long()));
        return orders;
    }
}
