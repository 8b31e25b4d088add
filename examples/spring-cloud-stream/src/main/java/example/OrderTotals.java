package example;

import java.util.function.Function;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * Adds up each customer's orders. The key of an order is its number, so Kafka Streams repartitions
 * the orders through blobs. The starter and the settings in application.properties suffice.
 */
@SpringBootApplication
public class OrderTotals {
    public static void main(String[] arguments) {
        SpringApplication.run(OrderTotals.class, arguments);
    }

    /** An order's key is its number, its value {@code customer:amount}. */
    @Bean
    Function<KStream<String, String>, KStream<String, Long>> totals() {
        return orders -> orders.map((number, order) -> {
                    String[] parts = order.split(":");
                    return KeyValue.pair(parts[0], Long.valueOf(parts[1]));
                })
                .groupByKey(Grouped.with("by-customer", Serdes.String(), Serdes.Long()))
                .reduce(Long::sum, Materialized.with(Serdes.String(), Serdes.Long()))
                .toStream();
    }
}
