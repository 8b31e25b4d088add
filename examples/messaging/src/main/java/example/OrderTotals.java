package example;

import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Topic;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Publishes orders and adds up each customer's orders, without a broker: the records are in blobs,
 * their order is in PostgreSQL. Prints the totals and ends.
 */
public final class OrderTotals {
    private static final int ORDERS = 3_000;
    private static final int CUSTOMERS = 5;

    public static void main(String[] arguments) {
        Map<String, String> environment = System.getenv();
        Map<String, Object> settings = Map.of(
                "blobshuffle.store", environment.getOrDefault("BLOB_STORE", "file:///var/lib/blobs"),
                "blobshuffle.log", environment.getOrDefault("LOG", "postgresql://localhost/app"));
        try (Messaging messaging = Messaging.open(settings)) {
            messaging.topics().create(Topic.named("orders").partitions(4).retention(Duration.ofDays(1)));
            publish(messaging);
            add(messaging).forEach((customer, total) -> System.out.println(customer + " " + total));
        }
    }

    /**
     * Publishes orders. A publisher's name belongs to one instance: a second instance with the name
     * fences the first.
     */
    private static void publish(Messaging messaging) {
        try (Publisher<String, String> orders =
                messaging.publisher("checkout-1", Serde.string(), Serde.string())) {
            for (int i = 0; i < ORDERS; i++) {
                orders.publish("orders", "customer-" + i % CUSTOMERS, Integer.toString(i));
            }
            orders.flush(Duration.ofSeconds(30));
        }
    }

    private static Map<String, Long> add(Messaging messaging) {
        Map<String, Long> totals = new TreeMap<>();
        int added = 0;
        try (Subscriber<String, String> orders =
                messaging.subscriber(Subscription.of("totals", "orders"), Serde.string(), Serde.string())) {
            while (added < ORDERS) {
                for (ReceivedRecord<String, String> order : orders.poll(Duration.ofSeconds(1))) {
                    totals.merge(order.key(), Long.valueOf(order.value()), Long::sum);
                    added++;
                }
                orders.commit();
            }
        }
        return totals;
    }
}
