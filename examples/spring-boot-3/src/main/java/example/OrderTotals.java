package example;

import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafkaStreams;
import org.springframework.kafka.config.StreamsBuilderFactoryBeanConfigurer;

/**
 * Adds up each customer's orders. The key of an order is its number, so Kafka Streams repartitions
 * the orders.
 */
@SpringBootApplication
@EnableKafkaStreams
public class OrderTotals {
    public static void main(String[] arguments) {
        SpringApplication.run(OrderTotals.class, arguments);
    }

    /**
     * Sets our client supplier. Spring passes one to {@code KafkaStreams}, so the settings alone do
     * not select ours.
     */
    @Bean
    StreamsBuilderFactoryBeanConfigurer blobShuffle() {
        return factory -> {
            Properties settings = factory.getStreamsConfiguration();
            factory.setClientSupplier(new BlobShuffleClientSupplier(settings));
        };
    }

    /** An order's key is its number, its value {@code customer:amount}. */
    @Bean
    KStream<String, String> orders(StreamsBuilder builder) {
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
