package example;

import dev.blobshuffle.flink.BlobShuffle;
import dev.blobshuffle.flink.BlobShuffleOptions;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;

/** Adds up what each customer has ordered, with the shuffle in a store, and prints the totals. */
public final class OrderTotals {
    private static final long ORDERS = 3_000;
    private static final int CUSTOMERS = 5;

    public static void main(String[] arguments) throws Exception {
        // With `flink run` both are in the cluster's configuration, and the code has neither.
        Configuration settings = new Configuration();
        settings.setString("blobshuffle.store", System.getenv("BLOB_STORE"));
        settings.setString("blobshuffle.native.in.zone", "false"); // Else one process writes no blob.
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        flink.setParallelism(2);

        DataStream<Long> orders = flink.fromSequence(0, ORDERS - 1);
        DataStream<String> totals = BlobShuffle.keyBy(
                        orders, order -> "customer-" + order % CUSTOMERS, BlobShuffleOptions.named("by-customer"))
                .window(GlobalWindows.createWithEndOfStreamTrigger())
                .aggregate(new Sum(), new Total());
        try (CloseableIterator<String> all = totals.executeAndCollect()) {
            all.forEachRemaining(System.out::println);
        }
    }

    private static final class Sum implements AggregateFunction<Long, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Long order, Long sum) {
            return sum + order;
        }

        @Override
        public Long getResult(Long sum) {
            return sum;
        }

        @Override
        public Long merge(Long one, Long other) {
            return one + other;
        }
    }

    private static final class Total extends ProcessWindowFunction<Long, String, String, GlobalWindow> {
        @Override
        public void process(String customer, Context context, Iterable<Long> sums, Collector<String> out) {
            sums.forEach(sum -> out.collect(customer + " " + sum));
        }
    }
}
