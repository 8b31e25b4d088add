package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that are unusual get to the operator behind as they do natively. */
class RecordsIT {
    private final Configuration configuration = new Configuration();

    RecordsIT() {
        configuration.setString("blobshuffle.store", "memory://records");
        configuration.setString("blobshuffle.native.in.zone", "false");
    }

    @AfterEach
    void nothingStaysOpen() {
        assertThat(TaskInstances.count()).as("instances that stay open").isZero();
    }

    /** Flink's sources give records the least timestamp, which is not none. */
    @Test
    void timestampsAreThoseThatFunctionsSeeNatively() throws Exception {
        assertThat(timestamps(true)).containsExactly("a null", "b " + Long.MIN_VALUE);
        assertThat(timestamps(false)).containsExactly("a null", "b " + Long.MIN_VALUE);
    }

    private List<String> timestamps(boolean isNative) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
        DataStream<String> bare = environment.fromData("a").transform("bare", Types.STRING, new WithoutTimestamp<>());
        DataStream<String> both = bare.union(environment.fromData("b"));
        return results(keyed(both, isNative).process(new ShowTimestamp())).stream()
                .sorted()
                .toList();
    }

    @Test
    void aRecordThatIsTooLargeForABatchKeepsItsPlace() throws Exception {
        configuration.setString("blobshuffle.record.max.bytes", "1 KiB");
        configuration.setString("blobshuffle.batch.max.delay.ms", "60000");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
        List<String> texts =
                Stream.of(1, 5_000, 2, 3, 900_000, 900, 4).map("x"::repeat).toList();

        List<String> results = results(keyed(environment.fromData(texts), false).process(new ShowTimestamp()));

        assertThat(results)
                .isEqualTo(
                        texts.stream().map(text -> text + " " + Long.MIN_VALUE).toList());
    }

    /** Natively it names the record, which may be private. */
    @Test
    void theFailureOfAKeySelectorNamesTheShuffle() {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
        KeyedStream<String, Integer> keyed =
                BlobShuffle.keyBy(environment.fromData("secret"), Integer::valueOf, BlobShuffleOptions.named("orders"));

        assertThatThrownBy(() -> results(keyed.process(new ShowTimestamp())))
                .hasRootCauseInstanceOf(NumberFormatException.class)
                .hasStackTraceContaining("Cannot extract the key of a record of shuffle orders");
    }

    private static KeyedStream<String, Integer> keyed(DataStream<String> texts, boolean isNative) {
        return isNative ? texts.keyBy(text -> 1) : BlobShuffle.keyBy(texts, text -> 1);
    }

    private static List<String> results(DataStream<String> stream) throws Exception {
        List<String> results = new ArrayList<>();
        try (CloseableIterator<String> all = stream.executeAndCollect()) {
            all.forEachRemaining(results::add);
        }
        return results;
    }

    private static final class ShowTimestamp extends KeyedProcessFunction<Integer, String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(String text, Context context, Collector<String> out) {
            out.collect(text + " " + context.timestamp());
        }
    }
}
