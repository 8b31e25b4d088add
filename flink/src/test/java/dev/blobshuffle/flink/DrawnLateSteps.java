package dev.blobshuffle.flink;

import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Operators of drawn jobs that work at times which chance decides. Their results are those of all
 * items together, in any case. They leave no timestamps to rely on.
 */
final class DrawnLateSteps {
    private static final OutputTag<Item> LATE = new OutputTag<>("late", Types.POJO(Item.class)) {};

    private DrawnLateSteps() {}

    /**
     * Each item is in one firing of a window or is late, and which of them is chance. One item for
     * each of these parts.
     */
    static <K> DataStream<Item> windows(KeyedStream<Item, K> items, String name, int size, int lateness) {
        SingleOutputStreamOperator<Item> parts = items.window(TumblingEventTimeWindows.of(Duration.ofMillis(size)))
                .allowedLateness(Duration.ofMillis(lateness))
                .trigger(PurgingTrigger.of(EventTimeTrigger.create()))
                .sideOutputLateData(LATE)
                .process(new Part<>(), Types.POJO(Item.class))
                .uid(name + "-parts");
        return parts.getSideOutput(LATE)
                .map(item -> new Item(item.key, item.digest(), 1, null))
                .returns(Types.POJO(Item.class))
                .uid(name + "-late")
                .union(parts);
    }

    private static final class Part<K> extends ProcessWindowFunction<Item, Item, K, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(K key, Context context, Iterable<Item> items, Collector<Item> out) {
            Item part = new Item();
            for (Item item : items) {
                part = new Item(item.key, part.value + item.digest(), part.time + 1, null);
            }
            out.collect(part);
        }
    }

    /** Sums the parts of each key. */
    static final class Whole<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Item> whole;

        @Override
        public void open(OpenContext context) {
            whole = getRuntimeContext().getState(new ValueStateDescriptor<>("whole", Types.POJO(Item.class)));
        }

        @Override
        public void processElement(Item part, Context context, Collector<Item> out) throws Exception {
            Item before = whole.value();
            whole.update(
                    before == null
                            ? part
                            : new Item(part.key, before.value + part.value, before.time + part.time, null));
            context.timerService().registerEventTimeTimer(DrawnSteps.END + 3);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            Item sum = whole.value();
            out.collect(new Item(sum.key, sum.value, sum.time, "whole of " + sum.time));
        }
    }

    /** Keeps items until a timer of processing time, or the end. */
    static final class Delay<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;
        private static final long MILLIS = 15;

        private transient ListState<Item> kept;

        @Override
        public void open(OpenContext context) {
            kept = getRuntimeContext().getListState(new ListStateDescriptor<>("kept", Types.POJO(Item.class)));
        }

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) throws Exception {
            kept.add(item);
            long now = context.timerService().currentProcessingTime();
            context.timerService().registerProcessingTimeTimer(now / MILLIS * MILLIS + MILLIS);
            context.timerService().registerEventTimeTimer(DrawnSteps.END + 4);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Item> out) throws Exception {
            for (Item item : kept.get()) {
                out.collect(item);
            }
            kept.clear();
        }
    }

    /** What came of each key, in its order. */
    static final class Order<K> extends KeyedProcessFunction<K, Item, Item> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Item> last;

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.POJO(Item.class)));
        }

        @Override
        public void processElement(Item item, Context context, Collector<Item> out) throws Exception {
            Item before = last.value();
            Item next = before == null
                    ? new Item(item.key, item.digest(), 1, "in order")
                    : new Item(item.key, before.value * 31 + item.digest(), before.time + 1, "in order");
            last.update(next);
            out.collect(next);
        }
    }
}
