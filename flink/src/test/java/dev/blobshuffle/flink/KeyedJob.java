package dev.blobshuffle.flink;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.flink.util.function.SerializableFunction;

/**
 * A job whose results show every record that is lost, doubled, damaged or late: count, sum and
 * exclusive or of the numbers, per key and window of event time. It fails a given number of times.
 *
 * <p>What the tasks find is static: they run in this process, in objects that Flink makes.
 */
final class KeyedJob {
    private static final OutputTag<Event> LATE = new OutputTag<>("late", Types.POJO(Event.class)) {};

    /** Begins a finding that is a result. */
    private static final String RESULT = "result ";

    /** Results by window and key; another result for the same window is added to the first. */
    private static final Map<String, String> RESULTS = new ConcurrentHashMap<>();

    private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final AtomicInteger LATE_RECORDS = new AtomicInteger();
    private static final AtomicInteger OUT_OF_ORDER = new AtomicInteger();

    /** Records that have come out of the shuffle, in all attempts. */
    private static final AtomicLong HANDED_OUT = new AtomicLong();

    /** Tasks before the shuffle that have ended. */
    private static final AtomicInteger ENDED = new AtomicInteger();

    /** Checkpoints that were completed after the last failure or start. */
    private static final AtomicLong COMPLETED = new AtomicLong();

    private final Path directory;
    private final long count;
    private final Map<String, String> settings = new HashMap<>();
    private int parallelism = 2;
    private long rate = 1_000_000;
    private boolean isNative;
    private SerializableFunction<String, String> zones = taskManager -> "";

    /** A job with so many records, which keeps everything below a directory. */
    KeyedJob(Path directory, long count) {
        this.directory = directory;
        this.count = count;
        set("blobshuffle.store", directory.resolve("store").toUri().toString());
        set("blobshuffle.batch.max.delay.ms", "100");
        set("blobshuffle.batch.max.bytes", "1 MiB");
        set("restart-strategy.type", "fixed-delay");
        set("restart-strategy.fixed-delay.attempts", "100");
        set("restart-strategy.fixed-delay.delay", "50 ms");
        set("execution.checkpointing.interval", "200 ms");
        set(
                "execution.checkpointing.dir",
                directory.resolve("checkpoints").toUri().toString());
        set("pipeline.generic-types", "false");
        set("taskmanager.numberOfTaskSlots", "2");
        set("minicluster.number-of-taskmanagers", "2");
        set("taskmanager.memory.network.min", "32 mb");
        set("taskmanager.memory.network.max", "32 mb");
        set("rest.port", "0");
        set("metrics.reporter.flow.factory.class", FlowReporter.Factory.class.getName());
        set("blobshuffle.native.in.zone", "false");
    }

    KeyedJob set(String key, String value) {
        settings.put(key, value);
        return this;
    }

    /** Keeps the blobs in a store with the faults of {@link FaultyStores}. */
    KeyedJob faulty() {
        return set("blobshuffle.store", "faulty://" + directory.resolve("store"));
    }

    KeyedJob parallelism(int subtasks) {
        parallelism = subtasks;
        return this;
    }

    KeyedJob rate(long recordsPerSecond) {
        rate = recordsPerSecond;
        return this;
    }

    /**
     * Sends only what leaves a zone through blobs.
     *
     * @param byTaskManager the zone of each TaskManager; called in this process
     */
    KeyedJob zones(SerializableFunction<String, String> byTaskManager) {
        zones = byTaskManager;
        return set("blobshuffle.native.in.zone", "true");
    }

    /** Uses Flink's own exchange. */
    KeyedJob natively() {
        isNative = true;
        return this;
    }

    /** Forgets what earlier jobs have found. */
    static void reset() {
        RESULTS.clear();
        FAILURES.set(0);
        FAILURES_LEFT.set(0);
        LATE_RECORDS.set(0);
        OUT_OF_ORDER.set(0);
        COMPLETED.set(0);
        HANDED_OUT.set(0);
        ENDED.set(0);
        FlowReporter.reset();
        FaultyStores.reset();
    }

    static Map<String, String> results() {
        return Map.copyOf(RESULTS);
    }

    static int lateRecords() {
        return LATE_RECORDS.get();
    }

    /** Records of a key that came after a later one of the same half of the numbers. */
    static int outOfOrder() {
        return OUT_OF_ORDER.get();
    }

    static long handedOut() {
        return HANDED_OUT.get();
    }

    static int endedTasks() {
        return ENDED.get();
    }

    static int failures() {
        return FAILURES.get();
    }

    static long completedCheckpoints() {
        return COMPLETED.get();
    }

    /** What the job must find. */
    Map<String, String> expected() {
        Map<String, long[]> sums = new HashMap<>();
        for (long number = 0; number < count; number++) {
            long[] sum = sums.computeIfAbsent(
                    window(number / Event.WINDOW * Event.WINDOW, Event.key(number)), absent -> new long[3]);
            Sums.add(sum, number);
        }
        Map<String, String> expected = new HashMap<>();
        sums.forEach((window, sum) -> expected.put(window, Sums.text(sum)));
        return expected;
    }

    /** Runs the job to its end, with so many failures on the way. */
    void run(int failures) throws Exception {
        FAILURES_LEFT.set(failures);
        start().getJobExecutionResult().get();
    }

    /** The running job fails once, after two checkpoints of its attempt. */
    static void failNow() {
        FAILURES_LEFT.set(1);
    }

    JobClient start() throws Exception {
        COMPLETED.set(0);
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        return start(StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration));
    }

    /** Starts the job on a cluster of other processes. What its tasks find, the cluster knows. */
    JobClient start(FlinkCluster cluster) throws Exception {
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        configuration.setString("rest.retry.max-attempts", "1000"); // A JobManager may be slow to start.
        configuration.setString("rest.retry.delay", "200 ms");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment("127.0.0.1", cluster.restPort(), configuration);
        environment.setParallelism(parallelism);
        return start(environment);
    }

    private JobClient start(StreamExecutionEnvironment environment) throws Exception {
        environment.setMaxParallelism(32);
        build(environment);
        return environment.executeAsync("keyed");
    }

    private void build(StreamExecutionEnvironment environment) {
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(number -> number, count, RateLimiterStrategy.perSecond(rate), Types.LONG);
        DataStream<Event> events = environment
                .fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers")
                .setParallelism(2)
                .uid("numbers")
                .map(new Make())
                .returns(Types.POJO(Event.class))
                .setParallelism(2)
                .uid("events")
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Event>forMonotonousTimestamps()
                        .withTimestampAssigner((event, before) -> event.number))
                .setParallelism(2)
                .uid("watermarks");
        KeyedStream<Event, Integer> keyed = isNative
                ? events.keyBy(Event::key)
                : BlobShuffle.keyBy(
                        events, Event::key, BlobShuffleOptions.named("by-key").zones(zones));
        keyed.process(new CheckOrder(count / 2))
                .returns(Types.STRING)
                .uid("order")
                .sinkTo(new DiscardingSink<>());
        SingleOutputStreamOperator<String> sums = keyed.window(
                        TumblingEventTimeWindows.of(Duration.ofMillis(Event.WINDOW)))
                .sideOutputLateData(LATE)
                .aggregate(new Sums(), new Keep())
                .returns(Types.STRING)
                .uid("sums");
        sums.sinkTo(new DiscardingSink<>()).uid("end");
        sums.getSideOutput(LATE)
                .map(new CountLate())
                .returns(Types.STRING)
                .uid("late")
                .sinkTo(new DiscardingSink<>());
    }

    private static void keep(Map<String, String> results, String window, String sum) {
        results.merge(window, sum, (before, now) -> before.equals(now) ? before : before + " and " + now);
    }

    /** The results in the findings of a cluster. */
    static Map<String, String> results(List<String> findings) {
        Map<String, String> results = new HashMap<>();
        for (String line : findings) {
            if (line.startsWith(RESULT)) {
                String[] parts = line.split(" ", 3);
                keep(results, parts[1], parts[2]);
            }
        }
        return results;
    }

    private static String window(long start, int key) {
        return start + "/" + key;
    }

    /** Makes events, and fails: each time after two checkpoints of the attempt. */
    private static final class Make extends RichMapFunction<Long, Event> implements CheckpointListener {
        private static final long serialVersionUID = 1L;

        @Override
        public Event map(Long number) {
            if (FAILURES_LEFT.get() > 0 && COMPLETED.get() >= 2) {
                synchronized (FAILURES) {
                    if (FAILURES_LEFT.get() > 0 && COMPLETED.get() >= 2) {
                        FAILURES_LEFT.decrementAndGet();
                        FAILURES.incrementAndGet();
                        COMPLETED.set(0);
                        throw new IllegalStateException("injected");
                    }
                }
            }
            return new Event(number);
        }

        @Override
        public void close() {
            ENDED.incrementAndGet();
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
                COMPLETED.incrementAndGet();
            }
        }
    }

    /** Count, sum and exclusive or. */
    private static final class Sums implements AggregateFunction<Event, long[], String>, Serializable {
        private static final long serialVersionUID = 1L;

        static void add(long[] sum, long number) {
            sum[0]++;
            sum[1] += number;
            sum[2] ^= number * 0x9E3779B97F4A7C15L;
        }

        static String text(long[] sum) {
            return sum[0] + " " + sum[1] + " " + sum[2];
        }

        @Override
        public long[] createAccumulator() {
            return new long[3];
        }

        @Override
        public long[] add(Event event, long[] sum) {
            if (!event.isWhole()) {
                throw new IllegalStateException("damaged: " + event.number + " " + event.text);
            }
            add(sum, event.number);
            return sum;
        }

        @Override
        public String getResult(long[] sum) {
            return text(sum);
        }

        @Override
        public long[] merge(long[] one, long[] other) {
            throw new UnsupportedOperationException("tumbling windows do not merge");
        }
    }

    /** Keeps results. A window may fire again after a failure, with the same result. */
    private static final class Keep extends ProcessWindowFunction<String, String, Integer, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(Integer key, Context context, Iterable<String> sums, Collector<String> out) {
            String sum = sums.iterator().next();
            String window = window(context.window().getStart(), key);
            keep(RESULTS, window, sum);
            Findings.add(RESULT + window + " " + sum);
            out.collect(sum);
        }
    }

    /** Each of the two readers has one half of the numbers, and sends them in their order. */
    private static final class CheckOrder extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;

        private final long half;
        private transient ValueState<Long> first;
        private transient ValueState<Long> second;

        CheckOrder(long half) {
            this.half = half;
        }

        @Override
        public void open(OpenContext context) {
            first = getRuntimeContext().getState(new ValueStateDescriptor<>("first", Types.LONG));
            second = getRuntimeContext().getState(new ValueStateDescriptor<>("second", Types.LONG));
        }

        @Override
        public void processElement(Event event, Context context, Collector<String> out) throws Exception {
            HANDED_OUT.incrementAndGet();
            ValueState<Long> last = event.number < half ? first : second;
            if (last.value() != null && last.value() >= event.number) {
                OUT_OF_ORDER.incrementAndGet();
                Findings.add("out of order: " + event.number + " after " + last.value());
            }
            last.update(event.number);
        }
    }

    private static final class CountLate extends RichMapFunction<Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(Event event) {
            LATE_RECORDS.incrementAndGet();
            Findings.add("late: " + event.number);
            return "";
        }
    }
}
