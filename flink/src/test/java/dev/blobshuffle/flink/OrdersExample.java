package dev.blobshuffle.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/** The amount that each customer orders in an hour, as the guide shows it. */
final class OrdersExample {
    private OrdersExample() {}

    /** An order. */
    public static final class Order {
        /** Who orders. */
        public String customer = "";

        /** In cents. */
        public long amount;

        /** Milliseconds since the Unix epoch. */
        public long time;

        /** For Flink's serializer. */
        public Order() {}

        Order(String customer, long amount, long time) {
            this.customer = customer;
            this.amount = amount;
            this.time = time;
        }

        Order plus(Order other) {
            return new Order(customer, amount + other.amount, time);
        }
    }

    static DataStream<Order> hourly(StreamExecutionEnvironment environment, Order... given) {
        DataStream<Order> orders = environment
                .fromData(given)
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofMinutes(1))
                        .withTimestampAssigner((order, before) -> order.time));
        KeyedStream<Order, String> byCustomer =
                BlobShuffle.keyBy(orders, order -> order.customer, BlobShuffleOptions.named("by-customer"));
        return byCustomer
                .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                .reduce(Order::plus);
    }
}
