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
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job that a seed draws: one or two sources, and up to three shuffles with operators between
 * them. What it leaves does not depend on the order of records of different senders. Owned by one
 * test.
 */
final class DrawnJob {
    private static final TypeInformation<Item> POJO = Types.POJO(Item.class);

    private final Random random;
    private final boolean isNative;
    private final StreamExecutionEnvironment environment;
    private final List<String> steps = new ArrayList<>();
    private final long count;

    /** Whether items have timestamps, so that windows make sense. */
    private final boolean isTimed;

    private final double rate;
    private int names;

    private DrawnJob(StreamExecutionEnvironment environment, long seed, boolean isNative, double rate) {
        random = new Random(seed);
        this.environment = environment;
        this.isNative = isNative;
        this.rate = rate;
        isTimed = random.nextInt(5) > 0;
        count = 200 + random.nextInt(3_000);
    }

    /**
     * Adds a seed's job to an environment.
     *
     * @param rate items per second of each source
     * @return what it does
     */
    static String build(StreamExecutionEnvironment environment, long seed, boolean isNative, double rate) {
        DrawnJob job = new DrawnJob(environment, seed, isNative, rate);
        DataStream<Item> items = job.source();
        if (job.random.nextInt(3) == 0) {
            job.steps.add("union");
            items = items.union(job.source());
        }
        for (int i = 1 + job.random.nextInt(3); i > 0; i--) {
            items = job.step(items);
        }
        items.sinkTo(new DrawnResults.Sink()).uid("sink").name("sink");
        return String.join(", ", job.steps);
    }

    /** The settings of a seed's run through blobs. */
    static Map<String, String> settings(long seed) {
        Random random = new Random(~seed);
        Map<String, String> settings = new HashMap<>();
        settings.put("pipeline.object-reuse", String.valueOf(random.nextBoolean()));
        settings.put("pipeline.operator-chaining.enabled", String.valueOf(random.nextInt(4) > 0));
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

    private DataStream<Item> source() {
        int id = names++;
        int parallelism = 1 + random.nextInt(2);
        long salt = random.nextLong() | 1;
        int keys = 1 + random.nextInt(60);
        int longest = random.nextInt(4) == 0 ? 3_000 : 40;
        int disorder = random.nextBoolean() ? 0 : 1 + random.nextInt(50);
        steps.add("source of " + count + " in " + parallelism + " with disorder " + disorder);
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(number -> number, count, RateLimiterStrategy.perSecond(rate), Types.LONG);
        SingleOutputStreamOperator<Item> items = environment
                .fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers" + id)
                .setParallelism(parallelism)
                .uid("numbers" + id)
                .map(new DrawnSteps.Make(salt, keys, longest, disorder))
                .returns(POJO)
                .setParallelism(parallelism)
                .uid("make" + id);
        if (!isTimed) {
            return items;
        }
        return items.assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Item>forBoundedOutOfOrderness(Duration.ofMillis(disorder))
                                .withTimestampAssigner((item, before) -> item.time))
                .setParallelism(parallelism)
                .uid("times" + id);
    }

    private DataStream<Item> step(DataStream<Item> items) {
        String name = "step" + names++;
        int kind = random.nextInt(isTimed ? 9 : 5);
        SingleOutputStreamOperator<Item> result = switch (kind) {
            case 0 -> totals(items, name);
            case 1 -> shuffled(items, name).process(new DrawnSteps.Stamp());
            case 2 ->
                shuffled(items, name).connect(shuffled(items, name + "-other")).process(new DrawnSteps.Both());
            case 3 ->
                shuffled(items, name)
                        .connect(rules(name).broadcast(DrawnSteps.RULES))
                        .process(new DrawnSteps.Ruled());
            case 4 -> split(items, name);
            case 5 ->
                shuffled(items, name)
                        .intervalJoin(shuffled(items, name + "-other"))
                        .between(Duration.ofMillis(-3), Duration.ofMillis(2))
                        .process(new DrawnSteps.Join());
            case 6 -> shuffled(items, name).process(new DrawnSteps.Buckets());
            default -> windows(items, name);
        };
        steps.add(name + " of kind " + kind);
        return result.returns(POJO).uid(name).name(name);
    }

    private SingleOutputStreamOperator<Item> totals(DataStream<Item> items, String name) {
        DataStream<Item> bare = items;
        if (!isTimed && random.nextBoolean()) {
            steps.add("without timestamps");
            bare = items.transform(name + "-bare", POJO, new WithoutTimestamp<>())
                    .uid(name + "-bare");
        }
        return shuffled(bare, name).process(new DrawnSteps.Totals());
    }

    private SingleOutputStreamOperator<Item> windows(DataStream<Item> items, String name) {
        int size = 5 + random.nextInt(200);
        int kind = random.nextInt(3);
        steps.add("windows " + kind + " of " + size);
        return DrawnSteps.windows(shuffled(items, name), kind, size);
    }

    /** A part of the items goes by a side output, is shuffled by itself, and comes back. */
    private SingleOutputStreamOperator<Item> split(DataStream<Item> items, String name) {
        SingleOutputStreamOperator<Item> main = shuffled(items, name)
                .process(new DrawnSteps.Split())
                .returns(POJO)
                .uid(name + "-split");
        DataStream<Item> side = main.getSideOutput(DrawnSteps.SIDE);
        return shuffled(side.union(main), name + "-side").process(new DrawnSteps.Totals());
    }

    private DataStream<String> rules(String name) {
        return environment.fromData("a", "b", "c").uid(name + "-rules");
    }

    private <K> KeyedStream<Item, K> keyed(DataStream<Item> items, String name, KeySelector<Item, K> selector) {
        return isNative ? items.keyBy(selector) : BlobShuffle.keyBy(items, selector, BlobShuffleOptions.named(name));
    }

    /** A shuffle by the key of the items. Their type, and which class they have, are drawn. */
    private KeyedStream<Item, Long> shuffled(DataStream<Item> items, String name) {
        boolean isGeneric = random.nextInt(3) == 0;
        steps.add(name + (isGeneric ? " by Kryo" : ""));
        TypeInformation<Item> type = isGeneric ? new GenericTypeInfo<>(Item.class) : POJO;
        DataStream<Item> drawn = items.map(new DrawnSteps.Vary()).returns(type).uid(name + "-vary");
        return keyed(drawn, name, item -> item.key);
    }
}
