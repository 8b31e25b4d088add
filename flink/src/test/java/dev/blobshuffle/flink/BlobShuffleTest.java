package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.flink.internal.batch.BatcherFactory;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;

class BlobShuffleTest {
    private static final String STORE = "memory://graph";

    private final Configuration configuration = withStore();

    @Test
    void twoOperatorsAndAHashEdgeTakeThePlaceOfTheExchange() {
        StreamExecutionEnvironment environment = environment();
        keyed(environment, BlobShuffleOptions.named("orders").maxParallelism(64));

        StreamGraph graph = environment.getStreamGraph();

        StreamNode batcher = node(graph, "orders-batcher");
        StreamNode debatcher = node(graph, "orders-debatcher");
        assertThat(batcher.getInEdges().get(0).getPartitioner()).isInstanceOf(ForwardPartitioner.class);
        assertThat(debatcher.getInEdges().get(0).getPartitioner()).isInstanceOf(KeyGroupStreamPartitioner.class);
        assertThat(debatcher.getOutEdges().get(0).getPartitioner()).isInstanceOf(ForwardPartitioner.class);
        assertThat(debatcher.getMaxParallelism()).isEqualTo(64);
    }

    /** As natively: an exchange before would move records twice, and lose the order of a key. */
    @Test
    void eachSenderHasABatcherOfItsOwnAndNoExchangeBeforeIt() {
        StreamExecutionEnvironment environment = environment();
        SingleOutputStreamOperator<Event> one = environment
                .fromData(new Event(1))
                .map(event -> event)
                .name("one")
                .setParallelism(1);
        SingleOutputStreamOperator<Event> two =
                environment.fromData(new Event(2)).map(event -> event).name("two");
        SingleOutputStreamOperator<Event> three =
                environment.fromData(new Event(3)).map(event -> event).name("three");
        DataStream<Event> events =
                one.broadcast().union(two.rebalance(), three.keyBy(Event::key)).shuffle();
        environment.setParallelism(4);
        BlobShuffle.keyBy(events, Event::key, BlobShuffleOptions.named("orders"))
                .reduce((first, other) -> other)
                .sinkTo(new DiscardingSink<>());
        three.setParallelism(3);

        StreamGraph graph = environment.getStreamGraph();

        assertSends(graph, "one", "orders-batcher", 1);
        assertSends(graph, "two", "orders-batcher-2", 2);
        assertSends(graph, "three", "orders-batcher-3", 3);
        assertThat(node(graph, "orders-debatcher").getInEdges())
                .hasSize(3)
                .allMatch(edge -> edge.getPartitioner() instanceof KeyGroupStreamPartitioner);
    }

    private static void assertSends(StreamGraph graph, String sender, String batcher, int parallelism) {
        StreamNode node = node(graph, batcher);
        assertThat(node.getParallelism()).isEqualTo(parallelism);
        assertThat(node.getInEdges()).singleElement().satisfies(edge -> {
            assertThat(edge.getPartitioner()).isInstanceOf(ForwardPartitioner.class);
            assertThat(graph.getStreamNode(edge.getSourceId()).getOperatorName())
                    .isEqualTo(sender);
        });
    }

    /** Otherwise Flink would spread the records of a key over the Batchers. */
    @Test
    void theBatcherOfASideOutputHasTheParallelismOfItsSender() {
        StreamExecutionEnvironment environment = environment();
        SingleOutputStreamOperator<Event> sender =
                environment.fromData(new Event(1)).map(event -> event).name("sender");
        DataStream<Event> late = sender.getSideOutput(new OutputTag<>("late", Types.POJO(Event.class)) {});
        BlobShuffle.keyBy(late, Event::key, BlobShuffleOptions.named("orders"))
                .reduce((first, other) -> other)
                .sinkTo(new DiscardingSink<>());
        sender.setParallelism(3);

        assertSends(environment.getStreamGraph(), "sender", "orders-batcher", 3);
    }

    /** Otherwise the job would need more slots, and records would leave the Debatcher's process. */
    @Test
    void theDebatcherHasTheSlotsOfTheOperatorBehindIt() {
        StreamExecutionEnvironment environment = environment();
        SingleOutputStreamOperator<Event> events =
                environment.fromData(new Event(1)).slotSharingGroup("senders");
        BlobShuffle.keyBy(events, Event::key, BlobShuffleOptions.named("orders"))
                .reduce((first, other) -> other)
                .slotSharingGroup("readers")
                .sinkTo(new DiscardingSink<>());

        StreamGraph graph = environment.getStreamGraph();

        assertThat(node(graph, "orders-batcher").getSlotSharingGroup()).isEqualTo("senders");
        assertThat(node(graph, "orders-debatcher").getSlotSharingGroup()).isEqualTo("readers");
    }

    /** Otherwise Flink would refuse the job, which runs with {@code keyBy}. */
    @Test
    void theDebatcherHasTheParallelismOfTheOperatorBehindIt() {
        StreamExecutionEnvironment environment = environment();
        keyed(environment, BlobShuffleOptions.named("payments"));
        SingleOutputStreamOperator<Event> last = BlobShuffle.keyBy(
                        environment.fromData(new Event(1)), Event::key, BlobShuffleOptions.named("orders"))
                .reduce((first, other) -> other);
        last.setParallelism(3).sinkTo(new DiscardingSink<>());

        StreamGraph graph = environment.getStreamGraph();

        assertThat(node(graph, "orders-debatcher").getParallelism()).isEqualTo(3);
        assertThat(node(graph, "payments-debatcher").getParallelism()).isEqualTo(2);
    }

    /** A union has no tasks: its reader gets the records from the Debatcher. */
    @Test
    void theDebatcherHasTheParallelismOfAReaderBehindAUnion() {
        StreamExecutionEnvironment environment = environment();
        DataStream<Event> other = environment.fromData(new Event(2));
        BlobShuffle.keyBy(environment.fromData(new Event(1)), Event::key, BlobShuffleOptions.named("orders"))
                .union(other)
                .map(event -> event)
                .setParallelism(3)
                .sinkTo(new DiscardingSink<>());

        assertThat(node(environment.getStreamGraph(), "orders-debatcher").getParallelism())
                .isEqualTo(3);
    }

    /**
     * They are chained to one Debatcher. Flink would refuse the edge with advice that is wrong
     * here.
     */
    @Test
    void readersOfUnequalParallelismAreRefused() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> keyed = keyed(environment, BlobShuffleOptions.named("orders"));
        keyed.reduce((one, other) -> other).name("wide").setParallelism(3).sinkTo(new DiscardingSink<>());

        assertThatThrownBy(environment::getStreamGraph)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("orders", "wide", "3", "Shuffle once for each");
    }

    @Test
    void aReaderOfAnotherParallelismThanTheOptionsSayIsRefused() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> ignored =
                keyed(environment, BlobShuffleOptions.named("orders").parallelism(3));

        assertThatThrownBy(environment::getStreamGraph)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("orders", "3", "2", "Leave the parallelism out");
    }

    /** By default, the number of key groups follows from the parallelism of the environment. */
    @Test
    void aReaderWithMoreSubtasksThanKeyGroupsIsRefused() {
        StreamExecutionEnvironment environment = environment();
        BlobShuffle.keyBy(environment.fromData(new Event(1)), Event::key, BlobShuffleOptions.named("orders"))
                .reduce((first, other) -> other)
                .setParallelism(150)
                .sinkTo(new DiscardingSink<>());

        assertThatThrownBy(environment::getStreamGraph)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("orders", "150", "128", "pipeline.max-parallelism");
    }

    /** Otherwise keys would be in subtasks that do not own their key groups. */
    @Test
    void anOperatorWithTwoInputsHasTheKeyGroupsOfItsShuffles() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> first =
                keyed(environment, BlobShuffleOptions.named("orders").maxParallelism(64));
        KeyedStream<Event, Integer> second =
                keyed(environment, BlobShuffleOptions.named("payments").maxParallelism(64));
        first.connect(second).process(new Pairs()).name("pairs").sinkTo(new DiscardingSink<>());
        first.reduce((one, other) -> one).name("alone").disableChaining().sinkTo(new DiscardingSink<>());

        StreamGraph graph = environment.getStreamGraph();

        assertThat(node(graph, "pairs").getMaxParallelism()).isEqualTo(64);
        assertThat(node(graph, "alone").getMaxParallelism()).isEqualTo(64);
    }

    @Test
    void theKeyGroupsOfAShuffleGoBeforeThoseOfTheJob() {
        configuration.setString("pipeline.max-parallelism", "32");
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> first =
                keyed(environment, BlobShuffleOptions.named("orders").maxParallelism(64));
        first.connect(first).process(new Pairs()).name("pairs").sinkTo(new DiscardingSink<>());

        assertThat(node(environment.getStreamGraph(), "pairs").getMaxParallelism())
                .isEqualTo(64);
    }

    @Test
    void anOperatorWithOtherKeyGroupsIsRefused() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> first =
                keyed(environment, BlobShuffleOptions.named("orders").maxParallelism(64));
        first.connect(first)
                .process(new Pairs())
                .setMaxParallelism(16)
                .name("pairs")
                .sinkTo(new DiscardingSink<>());

        assertThatThrownBy(environment::getStreamGraph)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("16", "pairs", "64");
    }

    private static final class Pairs extends KeyedCoProcessFunction<Integer, Event, Event, Event> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement1(Event event, Context context, Collector<Event> out) {}

        @Override
        public void processElement2(Event event, Context context, Collector<Event> out) {}
    }

    @Test
    void batchModeShufflesNatively() {
        configuration.setString("execution.runtime-mode", "BATCH");
        StreamExecutionEnvironment environment = environment();
        keyed(environment, BlobShuffleOptions.named("orders"));

        assertThat(environment.getStreamGraph().getStreamNodes())
                .extracting(StreamNode::getOperatorName)
                .noneMatch(name -> name.contains("orders"));
    }

    @Test
    void aModeThatFlinkChoosesLaterIsRefused() {
        configuration.setString("execution.runtime-mode", "AUTOMATIC");

        assertRefused(BlobShuffleOptions.named("orders"), "AUTOMATIC", "Set it to STREAMING");
    }

    @Test
    void aStoreMustBeNamed() {
        configuration.removeKey("blobshuffle.store");

        assertRefused(BlobShuffleOptions.named("orders"), "store");
    }

    @Test
    void aStoreNeedsItsArtifact() {
        configuration.setString("blobshuffle.store", "gs://bucket/prefix");

        assertRefused(BlobShuffleOptions.named("orders"), "dev.blobshuffle:blobshuffle-gcs");
    }

    /** Otherwise the tasks would fail and restart again and again. */
    @Test
    void aParameterThatTheStoreDoesNotKnowIsRefused() {
        configuration.setString("blobshuffle.store", "s3://bucket/prefix?regio=eu-central-1");

        assertRefused(BlobShuffleOptions.named("orders"), "'regio'", "'region'");
    }

    /** A checkpoint does not wait until the durable copy is there. */
    @Test
    void aStoreOfTwoSpeedsIsRefused() {
        configuration.setString("blobshuffle.store", "two-speed:fast=file:///fast,durable=file:///durable");

        assertRefused(BlobShuffleOptions.named("orders"), "not one of two speeds");
    }

    @Test
    void theMemoryOfOneProcessIsNoStoreOfACluster() {
        BlobShuffleOptions options = BlobShuffleOptions.named("orders");

        assertThatThrownBy(() -> keyed(
                        StreamExecutionEnvironment.createRemoteEnvironment("localhost", 1, configuration), options))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("all of them reach");
    }

    @Test
    void aNameThatIsMisspeltIsRefusedWithTheNearest() {
        assertRefused(
                BlobShuffleOptions.named("orders").setting("blobshuffle.batch.max.byte", "1 MiB"),
                "blobshuffle.batch.max.bytes");
    }

    /** It is that of the process that builds the job. */
    @Test
    void theZoneOfTheConfigurationIsNotThatOfTheTasks() {
        configuration.setString("blobshuffle.zone", "a");

        assertThat(keyed(environment(), BlobShuffleOptions.named("orders"))).isNotNull();
        assertThatThrownBy(() -> BlobShuffleOptions.named("orders").setting("blobshuffle.zone", "a"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("each TaskManager");
    }

    /** Flink decides it when the job is submitted. */
    @Test
    void theParallelismOfTheJobMayBeOpen() {
        configuration.setString("blobshuffle.store", "file:///store");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment("localhost", 1, configuration);
        keyed(environment, BlobShuffleOptions.named("orders"));

        assertThat(node(environment.getStreamGraph(), "orders-debatcher").getMaxParallelism())
                .isEqualTo(128);
    }

    @Test
    void anOptionGoesBeforeTheConfiguration() {
        configuration.setString("blobshuffle.batch.max.bytes", "nonsense");

        assertThat(keyed(
                        environment(),
                        BlobShuffleOptions.named("orders").setting("blobshuffle.batch.max.bytes", "1 MiB")))
                .isNotNull();
    }

    @Test
    void twoShufflesOfAJobNeedTwoNames() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> first = keyed(environment, BlobShuffleOptions.named("orders"));

        assertThat(first).isNotNull();
        assertThatThrownBy(() -> keyed(environment, BlobShuffleOptions.named("orders")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("BlobShuffleOptions.named");
        assertThat(keyed(environment, BlobShuffleOptions.named("payments"))).isNotNull();
    }

    /** Shuffles of a job share blobs. Two jobs never do, even if they are built alike. */
    @Test
    void theShufflesOfAJobHaveOneSubmissionAndEachJobHasAnother() {
        StreamExecutionEnvironment environment = environment();
        KeyedStream<Event, Integer> ignored = keyed(environment, BlobShuffleOptions.named("orders"));
        ignored = keyed(environment, BlobShuffleOptions.named("payments"));
        Set<String> first = submissions(environment);
        StreamGraph built = environment.getStreamGraph();
        ignored = keyed(environment, BlobShuffleOptions.named("orders"));

        assertThat(built.getStreamNodes()).isNotEmpty();
        assertThat(first).hasSize(1);
        assertThat(submissions(environment)).hasSize(1).doesNotContainAnyElementsOf(first);
    }

    private static Set<String> submissions(StreamExecutionEnvironment environment) {
        return environment.getTransformations().stream()
                .filter(OneInputTransformation.class::isInstance)
                .map(each -> ((OneInputTransformation<?, ?>) each).getOperatorFactory())
                .filter(BatcherFactory.class::isInstance)
                .map(each -> ((BatcherFactory<?, ?>) each).plan().submission())
                .collect(Collectors.toSet());
    }

    @Test
    void fewerKeyGroupsThanSubtasksAreRefused() {
        assertRefused(BlobShuffleOptions.named("orders").maxParallelism(2).parallelism(3), "max parallelism is 2");
    }

    @Test
    void aNameFitsIntoIdsOfOperators() {
        assertThatThrownBy(() -> BlobShuffleOptions.named("my shuffle"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("letters");
    }

    private void assertRefused(BlobShuffleOptions options, String... words) {
        assertThatThrownBy(() -> keyed(environment(), options))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(words);
    }

    private StreamExecutionEnvironment environment() {
        return StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    }

    private static KeyedStream<Event, Integer> keyed(
            StreamExecutionEnvironment environment, BlobShuffleOptions options) {
        DataStream<Event> events = environment.fromData(List.of(new Event(1), new Event(2)));
        KeyedStream<Event, Integer> keyed = BlobShuffle.keyBy(events, Event::key, options);
        keyed.reduce((one, other) -> other).sinkTo(new DiscardingSink<>());
        return keyed;
    }

    private static StreamNode node(StreamGraph graph, String name) {
        return graph.getStreamNodes().stream()
                .filter(node -> node.getOperatorName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Configuration withStore() {
        Configuration configuration = new Configuration();
        configuration.setString("blobshuffle.store", STORE);
        return configuration;
    }
}
