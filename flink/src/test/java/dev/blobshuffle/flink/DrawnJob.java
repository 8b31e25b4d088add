package dev.blobshuffle.flink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.function.SerializableFunction;

/**
 * A job that a seed draws: one or two sources, and up to three shuffles with operators between
 * them. What it leaves does not depend on the order of records of different senders. Its edges do
 * not depend on the parallelism: else Flink would lose what an unaligned checkpoint has of an edge
 * that is gone. Owned by one test.
 */
final class DrawnJob {
    private static final TypeInformation<Item> POJO = Types.POJO(Item.class);

    private final Random random;
    private final Exchange exchange;
    private final StreamExecutionEnvironment environment;
    private final List<String> steps = new ArrayList<>();
    private final long count;

    private final double rate;
    private Times times;
    private int names;

    /** What the timestamps of the items are good for. */
    private enum Times {
        /** Nothing: there are none, or chance decides them. */
        NONE,
        /** No item is late, so windows make sense. */
        EXACT,
        /** Chance decides which items are late. */
        LATE
    }

    /** How records come to the owners of their keys. */
    enum Exchange {
        NATIVE,
        BLOBS,
        /** Blobs, and natively within each of two zones. */
        TWO_ZONES,
        /** Blobs, and natively within each of two zones, which change with each attempt. */
        MOVING_ZONES;

        /** The zone of a TaskManager. */
        private String zone(String taskManager) {
            return switch (this) {
                case NATIVE, BLOBS -> "";
                case TWO_ZONES -> "zone-" + (taskManager.hashCode() & 1);
                case MOVING_ZONES -> "zone-" + (taskManager.hashCode() >> DrawnResults.failures() & 1);
            };
        }
    }

    private DrawnJob(StreamExecutionEnvironment environment, long seed, Exchange exchange, double rate) {
        random = new Random(seed);
        this.environment = environment;
        this.exchange = exchange;
        this.rate = rate;
        times = random.nextInt(5) == 0 ? Times.NONE : random.nextInt(5) == 0 ? Times.LATE : Times.EXACT;
        count = 200 + random.nextInt(3_000);
    }

    /**
     * Adds a seed's job to an environment.
     *
     * @param rate items per second of each source
     * @return what it does
     */
    static String build(StreamExecutionEnvironment environment, long seed, Exchange exchange, double rate) {
        DrawnJob job = new DrawnJob(environment, seed, exchange, rate);
        DataStream<Item> items = job.beginning();
        for (int i = 1 + job.random.nextInt(3); i > 0; i--) {
            items = job.step(items, DrawnKey.draw(job.random));
        }
        items.rebalance()
                .sinkTo(new DrawnResults.Sink())
                .setParallelism(1)
                .uid("sink")
                .name("sink");
        return String.join(", ", job.steps);
    }

    private DataStream<Item> beginning() {
        if (random.nextInt(5) == 0) {
            return ordered(source(1), "order", DrawnKey.draw(random));
        }
        DataStream<Item> items = source(1 + random.nextInt(2)).rebalance();
        if (random.nextInt(3) > 0) {
            return items;
        }
        steps.add("union");
        return items.union(source(1 + random.nextInt(2)).rebalance());
    }

    /** The order of one sender's records, in which no subtask comes between. */
    private <K> DataStream<Item> ordered(DataStream<Item> items, String name, DrawnKey<K> key) {
        steps.add("order by " + key.name());
        SingleOutputStreamOperator<Item> drawn = items.map(new DrawnSteps.Vary())
                .returns(POJO)
                .uid(name + "-vary")
                .setParallelism(1);
        return keyed(drawn, name, key)
                .process(new DrawnLateSteps.Order<>(), POJO)
                .uid(name)
                .name(name);
    }

    /** Settings that do not change what a job leaves, and may change when it is restored. */
    static Map<String, String> settings(Random random) {
        Map<String, String> settings = new HashMap<>();
        settings.put("pipeline.object-reuse", String.valueOf(random.nextBoolean()));
        settings.put("execution.buffer-timeout.interval", random.nextBoolean() ? "0 ms" : "100 ms");
        settings.put("execution.checkpointing.unaligned.enabled", String.valueOf(random.nextBoolean()));
        settings.put("execution.checkpointing.aligned-checkpoint-timeout", random.nextBoolean() ? "0 ms" : "100 ms");
        settings.put("blobshuffle.put.after.barrier", String.valueOf(random.nextBoolean()));
        settings.put("blobshuffle.native.in.zone", String.valueOf(random.nextInt(3) == 0));
        settings.put("blobshuffle.inline.max.bytes", random.nextBoolean() ? "0" : "4 KiB");
        settings.put("blobshuffle.batch.max.delay.ms", random.nextBoolean() ? "1" : "50");
        settings.put("blobshuffle.batch.max.bytes", random.nextBoolean() ? "1 MiB" : "16 MiB");
        settings.put("blobshuffle.pending.max.bytes", random.nextBoolean() ? "1" : "64 MiB");
        return settings;
    }

    private DataStream<Item> source(int parallelism) {
        int id = names++;
        long salt = random.nextLong() | 1;
        int keys = 1 + random.nextInt(60);
        int longest = random.nextInt(4) == 0 ? 3_000 : 40;
        int disorder = random.nextBoolean() ? 0 : 1 + random.nextInt(50);
        steps.add("source of " + count + " in " + parallelism + " with disorder " + disorder);
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(number -> number, count, RateLimiterStrategy.perSecond(rate), Types.LONG);
        DrawnSteps.Make make = new DrawnSteps.Make(salt, keys, longest, disorder);
        boolean hasOwnTimes = times != Times.NONE && random.nextBoolean();
        steps.add(hasOwnTimes ? "times of the source" : "times of an operator");
        SingleOutputStreamOperator<Item> items = environment
                .fromSource(
                        numbers,
                        hasOwnTimes ? watermarks(disorder, make::time) : WatermarkStrategy.noWatermarks(),
                        "numbers" + id)
                .setParallelism(parallelism)
                .uid("numbers" + id)
                .map(make)
                .returns(POJO)
                .setParallelism(parallelism)
                .uid("make" + id);
        if (times == Times.NONE || hasOwnTimes) {
            return items;
        }
        return items.assignTimestampsAndWatermarks(watermarks(disorder, item -> item.time))
                .setParallelism(parallelism)
                .uid("times" + id);
    }

    private <T> WatermarkStrategy<T> watermarks(int disorder, SerializableFunction<T, Long> time) {
        return WatermarkStrategy.<T>forBoundedOutOfOrderness(Duration.ofMillis(times == Times.LATE ? 0 : disorder))
                .withTimestampAssigner((record, before) -> time.apply(record));
    }

    private <K> DataStream<Item> step(DataStream<Item> items, DrawnKey<K> key) {
        String name = "step" + names++;
        int kind = random.nextInt(times == Times.EXACT ? 11 : 7);
        steps.add(name + " of kind " + (times == Times.LATE ? "late" : kind) + " by " + key.name());
        SingleOutputStreamOperator<Item> result = times == Times.LATE
                ? late(items, name, key)
                : switch (kind) {
                    case 0 -> totals(items, name, key);
                    case 1 -> shuffled(items, name, key).process(new DrawnSteps.Stamp<>(), POJO);
                    case 2 ->
                        shuffled(items, name, key)
                                .connect(shuffled(items, name + "-other", key))
                                .process(new DrawnSteps.Both<>(), POJO);
                    case 3 ->
                        shuffled(items, name, key)
                                .connect(rules(name).broadcast(DrawnSteps.RULES))
                                .process(new DrawnSteps.Ruled<K>(), POJO);
                    case 4 -> split(items, name, key);
                    case 5 -> delayed(items, name, key);
                    case 6 ->
                        shuffled(items, name, key)
                                .connect(shuffled(silent(name), name + "-silent", key))
                                .process(new DrawnSteps.Both<>(), POJO);
                    case 7 ->
                        shuffled(items, name, key)
                                .intervalJoin(shuffled(items, name + "-other", key))
                                .between(Duration.ofMillis(-3), Duration.ofMillis(2))
                                .process(new DrawnSteps.Join(), POJO);
                    case 8 -> shuffled(items, name, key).process(new DrawnSteps.Buckets<>(), POJO);
                    default -> windows(items, name, key);
                };
        return result.returns(POJO).uid(name).name(name);
    }

    private <K> SingleOutputStreamOperator<Item> totals(DataStream<Item> items, String name, DrawnKey<K> key) {
        DataStream<Item> bare = items;
        if (times == Times.NONE && random.nextBoolean()) {
            steps.add("without timestamps");
            bare = withoutTimestamps(items, name);
        }
        return shuffled(bare, name, key).process(new DrawnSteps.Totals<>(random.nextBoolean()), POJO);
    }

    private static SingleOutputStreamOperator<Item> withoutTimestamps(DataStream<Item> items, String name) {
        return items.transform(name + "-bare", POJO, new WithoutTimestamp<>()).uid(name + "-bare");
    }

    private <K> SingleOutputStreamOperator<Item> windows(DataStream<Item> items, String name, DrawnKey<K> key) {
        int size = 5 + random.nextInt(200);
        int kind = random.nextInt(3);
        steps.add("windows " + kind + " of " + size);
        return DrawnSteps.windows(shuffled(items, name, key), kind, size);
    }

    /** Windows, the items that were late for them, and both together. */
    private <K> SingleOutputStreamOperator<Item> late(DataStream<Item> items, String name, DrawnKey<K> key) {
        times = Times.NONE;
        DataStream<Item> parts = DrawnLateSteps.windows(
                shuffled(items, name + "-windows", key), name, 5 + random.nextInt(50), random.nextInt(3) * 5);
        return shuffled(parts, name, key).process(new DrawnLateSteps.Whole<>(), POJO);
    }

    private <K> SingleOutputStreamOperator<Item> delayed(DataStream<Item> items, String name, DrawnKey<K> key) {
        times = Times.NONE;
        SingleOutputStreamOperator<Item> delayed = shuffled(items, name, key)
                .process(new DrawnLateSteps.Delay<>(), POJO)
                .uid(name + "-delay");
        return delayed.transform(name + "-bare", POJO, new WithoutTimestamp<>());
    }

    /** A part of the items goes by a side output, is shuffled by itself, and comes back. */
    private <K> SingleOutputStreamOperator<Item> split(DataStream<Item> items, String name, DrawnKey<K> key) {
        SingleOutputStreamOperator<Item> main = shuffled(items, name, key)
                .process(new DrawnSteps.Split<>(), POJO)
                .uid(name + "-split");
        DataStream<Item> side = main.getSideOutput(DrawnSteps.SIDE);
        return shuffled(side.union(main), name + "-side", DrawnKey.draw(random))
                .process(new DrawnSteps.Totals<>(random.nextBoolean()), POJO);
    }

    /** An input that becomes idle and active again. Items of it would be late by chance. */
    private DataStream<Item> silent(String name) {
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(number -> number, 4, RateLimiterStrategy.perSecond(3), Types.LONG);
        return environment
                .fromSource(
                        numbers,
                        WatermarkStrategy.<Long>forMonotonousTimestamps()
                                .withTimestampAssigner((number, before) -> 0)
                                .withIdleness(Duration.ofMillis(20)),
                        name + "-ticks")
                .setParallelism(1)
                .uid(name + "-ticks")
                .flatMap(new DrawnSteps.Nothing())
                .returns(POJO)
                .setParallelism(1)
                .uid(name + "-nothing")
                .rebalance();
    }

    private DataStream<String> rules(String name) {
        return environment.fromData("a", "b", "c").uid(name + "-rules");
    }

    private <K> KeyedStream<Item, K> keyed(DataStream<Item> items, String name, DrawnKey<K> key) {
        Exchange drawn = exchange;
        return exchange == Exchange.NATIVE
                ? items.keyBy(key.selector(), key.type())
                : BlobShuffle.keyBy(
                        items,
                        key.selector(),
                        key.type(),
                        BlobShuffleOptions.named(name).zones(drawn::zone));
    }

    /** A shuffle by the key of the items. Their type, and which class they have, are drawn. */
    private <K> KeyedStream<Item, K> shuffled(DataStream<Item> items, String name, DrawnKey<K> key) {
        boolean isGeneric = random.nextInt(3) == 0;
        steps.add(name + (isGeneric ? " of Kryo" : ""));
        TypeInformation<Item> type = isGeneric ? new GenericTypeInfo<>(Item.class) : POJO;
        if ((count + names) % 3 > 0) {
            return keyed(varied(items, name, type), name, key);
        }
        steps.add(name + " of two senders");
        DataStream<Item> even = items.filter(item -> (item.value & 1) == 0).uid(name + "-even");
        DataStream<Item> odd = items.filter(item -> (item.value & 1) != 0).uid(name + "-odd");
        return keyed(
                varied(even, name, type).union(varied(odd, name + "-odd", type).rebalance()), name, key);
    }

    private static DataStream<Item> varied(DataStream<Item> items, String name, TypeInformation<Item> type) {
        return items.map(new DrawnSteps.Vary()).returns(type).uid(name + "-vary");
    }
}
