package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a bounded input reaches the subtasks behind a shuffle at different times. */
class EndOfInputIT {
    private static final long COUNT = 6_000;

    /** A key of the subtask that ends first. */
    private static final int RARE = 0;

    private static final int FIRST = 1;

    /** A key of the other subtask. */
    private static final int OFTEN = 4;

    private static final AtomicInteger ENDED = new AtomicInteger();

    /** Checkpoints for which a subtask took its snapshot after it had ended. */
    private static final Set<Long> AFTER_END = ConcurrentHashMap.newKeySet();

    /** Those of them that are complete. */
    private static final Set<Long> COMPLETED = ConcurrentHashMap.newKeySet();

    private static final AtomicLong WRITTEN = new AtomicLong();

    @TempDir
    private Path directory;

    @BeforeEach
    void begin() {
        FaultyStores.reset();
        ENDED.set(0);
        AFTER_END.clear();
        COMPLETED.clear();
        WRITTEN.set(0);
    }

    @AfterEach
    void end() {
        FaultyStores.reset();
    }

    /** One subtask has ended, and the other still has references in its network buffers. */
    @Test
    void unalignedCheckpointsGoOnWhenAPartOfTheSubtasksHasEnded() throws Exception {
        FaultyStores.slow(Duration.ZERO, Duration.ofMillis(200));
        JobClient client = start();

        await().atMost(Duration.ofMinutes(5))
                .failFast("both subtasks have ended", () -> ENDED.get() == 2)
                .until(() -> !COMPLETED.isEmpty());

        FaultyStores.reset();
        client.getJobExecutionResult().get();
        assertThat(WRITTEN.get()).isEqualTo(COUNT);
        await().atMost(Duration.ofMinutes(1)).until(() -> TaskInstances.count() == 0);
    }

    private JobClient start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("blobshuffle.store", "faulty://" + directory.resolve("store"));
        configuration.setString("blobshuffle.native.in.zone", "false");
        configuration.setString("blobshuffle.batch.max.delay.ms", "10");
        configuration.setString("blobshuffle.pending.max.bytes", "1");
        configuration.setString("blobshuffle.inline.max.bytes", "0");
        configuration.setString("execution.checkpointing.interval", "200 ms");
        configuration.setString("execution.checkpointing.unaligned.enabled", "true");
        configuration.setString(
                "execution.checkpointing.dir",
                directory.resolve("checkpoints").toUri().toString());
        configuration.setString("rest.port", "0");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
        DataGeneratorSource<Long> numbers =
                new DataGeneratorSource<>(number -> number, COUNT, RateLimiterStrategy.perSecond(COUNT), Types.LONG);
        DataStream<Long> stream = environment.fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers");
        BlobShuffle.keyBy(stream, number -> number < 10 ? RARE : OFTEN, BlobShuffleOptions.named("by-key"))
                .process(new Checkpoints())
                .returns(Types.LONG)
                .sinkTo(new Ends());
        return environment.executeAsync("end of input");
    }

    /** Keeps which checkpoints are taken when. */
    private static final class Checkpoints extends KeyedProcessFunction<Integer, Long, Long>
            implements CheckpointedFunction, CheckpointListener {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) {
            out.collect(number);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            if (ENDED.get() > 0 && getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == FIRST) {
                AFTER_END.add(context.getCheckpointId());
            }
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            if (ENDED.get() == 1 && AFTER_END.contains(checkpoint)) {
                COMPLETED.add(checkpoint);
            }
        }
    }

    /** Counts what it gets, and subtasks that have ended. */
    private static final class Ends implements Sink<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Long> createWriter(WriterInitContext context) {
            return new Writer();
        }
    }

    private static final class Writer implements SinkWriter<Long> {
        @Override
        public void write(Long number, Context context) {
            WRITTEN.incrementAndGet();
        }

        @Override
        public void flush(boolean endOfInput) {
            if (endOfInput) {
                ENDED.incrementAndGet();
            }
        }

        @Override
        public void close() {}
    }
}
