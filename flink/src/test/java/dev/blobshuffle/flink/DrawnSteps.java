package dev.blobshuffle.flink;

import java.time.Duration;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** The operators of drawn jobs. Flink makes copies of them; what they find is in their results. */
final class DrawnSteps {
    static final OutputTag<Item> SIDE = new OutputTag<>("side", Types.POJO(Item.class)) {};
    static final MapStateDescriptor<String, String> RULES =
            new MapStateDescriptor<>("rules", Types.STRING, Types.STRING);

    /** After all items. */
    static final long END = 1L << 40;

    private DrawnSteps() {}

    private static Item sum(long key, Item item, long before, long count) {
        return new Item(key, before ^ spread(item), count, null);
    }

    private static long spread(Item item) {
        return item.digest() * 0x9E3779B97F4A7C15L;
    }

    /** Makes items of numbers, and fails as the test says. */
    static final class Make extends RichMapFunction<Long, Item> implements CheckpointListener {
        private static final long serialVersionUID = 1L;

        private final long salt;
        private final int keys;
        private final int longest;
        private final int disorder;

        Make(long salt, int keys, int longest, int disorder) {
            this.salt = salt;
            this.keys = keys;
            this.longest = longest;
            this.disorder = disorder;
        }

        @Override
        public Item map(Long number) {
            DrawnResults.mayFail();
            long hash = hash(number);
            long key = hash % 3 == 0 ? 0 : hash % keys;
            String text = hash % 5 == 0 ? null : "é".repeat((int) (hash % longest)) + number;
            return new Item(key, hash, time(number), text);
        }

        private long hash(long number) {
            return (number + 1) * salt * 0x9E3779B97F4A7C15L >>> 16;
        }

        /** The event time of the item of a number. */
        long time(long number) {
            return Math.max(0, number - (disorder == 0 ? 0 : hash(number) % disorder));
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            DrawnResults.checkpointed();
        }
    }

    /** Drops everything. */
    static final class Nothing implements FlatMapFunction<Long, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(Long number, Collector<Item> out) {
            // Only the watermarks and the idleness of the input go on.
        }
    }

    /** Some items get another class, which Flink writes with the class's name or by Kryo. */
    static final class Vary implements MapFunction<Item, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public Item map(Item item) {
            return item.value % 10 == 0 && !(item instanceof Item.Special)
                    ? new Item.Special(item, item.value / 3.0)
                    : item;
        }
    }

    /** Sums of a key, which a timer gives after the end. */
    static final class Totals<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;

        private final boolean forgets;
        private transient ValueState<Item> total;

        /**
         * Sums in one state.
         *
         * @param forgets whether the state has a time to live, which is longer than any test
         */
        Totals(boolean forgets) {
            this.forgets = forgets;
        }

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Item> state = new ValueStateDescriptor<>("total", Types.POJO(Item.class));
            if (forgets) {
                state.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1))
                        .cleanupIncrementally(10, true)
                        .cleanupInRocksdbCompactFilter(100)
                        .build());
            }
            total = getRuntimeContext().getState(state);
        }

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) throws Exception {
            DrawnResults.mayFail();
            Item before = total.value();
            Item next = sum(item.key, item, before == null ? 0 : before.value, before == null ? 1 : before.time + 1);
            // Of all items, because Flink gives a timestamp to what leaves by a side output.
            boolean isBare = context.timestamp() == null && (before == null || Boolean.parseBoolean(before.text));
            next.text = String.valueOf(isBare);
            total.update(next);
            context.timerService().registerEventTimeTimer(END);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            Item sum = total.value();
            out.collect(new Item(sum.key, sum.value, sum.time, "total " + context.getCurrentKey() + " " + sum.text));
        }
    }

    /** Writes the timestamp of each item into it. */
    static final class Stamp<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) {
            out.collect(new Item(item.key, item.digest(), item.time, "at " + context.timestamp()));
        }
    }

    /** Sums items per key and piece of time, each of which has a timer. */
    static final class Buckets<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;
        private static final long BUCKET = 64;

        private transient MapState<Long, Item> buckets;

        @Override
        public void open(OpenContext context) {
            buckets = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>("buckets", Types.LONG, Types.POJO(Item.class)));
        }

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) throws Exception {
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                throw new IllegalStateException("late: " + item);
            }
            long end = context.timestamp() / BUCKET * BUCKET + BUCKET;
            Item before = buckets.get(end);
            buckets.put(
                    end, sum(item.key, item, before == null ? 0 : before.value, before == null ? 1 : before.time + 1));
            context.timerService().registerEventTimeTimer(end);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            Item sum = buckets.get(time);
            out.collect(new Item(sum.key + 1, sum.value, time, "bucket of " + sum.time));
            buckets.remove(time);
        }
    }

    /** Sums two streams by one state. */
    static final class Both<K> extends KeyedCoProcessFunction<K, Item, Item, Item> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Item> total;

        @Override
        public void open(OpenContext context) {
            total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Types.POJO(Item.class)));
        }

        @Override
        public void processElement1(Item item, Context context, Collector<Item> out) throws Exception {
            add(item, 1, context);
        }

        @Override
        public void processElement2(Item item, Context context, Collector<Item> out) throws Exception {
            add(item, 1_000_000, context);
        }

        private void add(Item item, long weight, Context context) throws Exception {
            Item before = total.value();
            long digest = item.digest() * weight;
            total.update(new Item(
                    item.key,
                    digest + (before == null ? 0 : before.value),
                    weight + (before == null ? 0 : before.time),
                    ""));
            context.timerService().registerEventTimeTimer(END + 1);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            out.collect(total.value());
        }
    }

    /** Sums of a key, with all rules that were broadcast. */
    static final class Ruled<K> extends KeyedBroadcastProcessFunction<K, Item, String, Item> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Item> total;

        @Override
        public void open(OpenContext context) {
            total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Types.POJO(Item.class)));
        }

        @Override
        public void processElement(Item item, ReadOnlyContext context, Collector<Item> out) throws Exception {
            Item before = total.value();
            total.update(sum(item.key, item, before == null ? 0 : before.value, before == null ? 1 : before.time + 1));
            context.timerService().registerEventTimeTimer(END + 2);
        }

        @Override
        public void processBroadcastElement(String rule, Context context, Collector<Item> out) throws Exception {
            context.getBroadcastState(RULES).put(rule, rule);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            int rules = 0;
            for (var rule : context.getBroadcastState(RULES).immutableEntries()) {
                rules += rule.getKey().hashCode();
            }
            Item sum = total.value();
            out.collect(new Item(sum.key, sum.value, sum.time, "rules " + rules));
        }
    }

    /** Pairs of items of near times. */
    static final class Join extends ProcessJoinFunction<Item, Item, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Item left, Item right, Context context, Collector<Item> out) {
            out.collect(new Item(left.key, left.digest() * 31 + right.digest(), context.getTimestamp(), "pair"));
        }
    }

    /** Every third item goes aside. */
    static final class Split<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) {
            Item next = new Item(item.key / 2, item.digest(), item.time, "aside");
            if (item.value % 3 == 0) {
                context.output(SIDE, next);
            } else {
                out.collect(next);
            }
        }
    }

    /** Sums in windows: tumbling, sliding or of sessions. */
    static <K> SingleOutputStreamOperator<Item> windows(KeyedStream<Item, K> items, int kind, int size) {
        Duration length = Duration.ofMillis(size);
        return items.window(
                        switch (kind) {
                            case 0 -> TumblingEventTimeWindows.of(length);
                            case 1 -> SlidingEventTimeWindows.of(length, Duration.ofMillis(size / 3 + 1));
                            default -> EventTimeSessionWindows.withGap(Duration.ofMillis(size % 20 + 1));
                        })
                .aggregate(new Sum(), new Windowed<>());
    }

    private static final class Sum implements AggregateFunction<Item, Item, Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public Item createAccumulator() {
            return new Item(0, 0, 0, "");
        }

        @Override
        public Item add(Item item, Item sum) {
            return sum(item.key, item, sum.value, sum.time + 1);
        }

        @Override
        public Item getResult(Item sum) {
            return sum;
        }

        @Override
        public Item merge(Item one, Item other) {
            return new Item(Math.max(one.key, other.key), one.value ^ other.value, one.time + other.time, null);
        }
    }

    private static final class Windowed<K> extends ProcessWindowFunction<Item, Item, K, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(K key, Context context, Iterable<Item> sums, Collector<Item> out) {
            Item sum = sums.iterator().next();
            out.collect(
                    new Item(sum.key / 2, sum.value, sum.time, context.window().toString()));
        }
    }
}
