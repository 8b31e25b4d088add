package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.ResetPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** Generates programs; frequent operations of applications are frequent. */
final class Programs {
    /** Five plain records of this size are more than a paused partition keeps. */
    private static final int BULK = 60_000;

    private Programs() {}

    static Arbitrary<Program> all() {
        return Combinators.combine(setups(), steps().list().ofMinSize(2).ofMaxSize(20))
                .as((setup, blocks) -> new Program(setup, flat(blocks)));
    }

    private static List<Step> flat(List<List<Step>> blocks) {
        List<Step> steps = new ArrayList<>();
        blocks.forEach(steps::addAll);
        return steps;
    }

    private static Arbitrary<Setup> setups() {
        return Combinators.combine(
                        Arbitraries.of(1, 2, 3).list().ofMinSize(1).ofMaxSize(2),
                        Arbitraries.frequency(
                                Tuple.of(4, Setup.Retention.FOREVER),
                                Tuple.of(3, Setup.Retention.CONSUMED),
                                Tuple.of(2, Setup.Retention.NOTHING),
                                Tuple.of(1, Setup.Retention.A_DAY),
                                Tuple.of(1, Setup.Retention.CONSUMED_OR_ABANDONED)),
                        Arbitraries.frequency(
                                Tuple.of(6, ResetPolicy.EARLIEST),
                                Tuple.of(2, ResetPolicy.LATEST),
                                Tuple.of(1, ResetPolicy.ERROR)),
                        Arbitraries.of(500, 1, 2, 7),
                        Arbitraries.of(World.Storage.class),
                        Arbitraries.of(Setup.Name.class))
                .as(Setup::new);
    }

    private static Arbitrary<Integer> topics() {
        return Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1));
    }

    private static Arbitrary<Integer> partitions() {
        return Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(2, 1), Tuple.of(1, 2));
    }

    private static Arbitrary<Draft> drafts() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                        Tuple.of(60, 0),
                                        Tuple.of(30, 1),
                                        Tuple.of(15, 2),
                                        Tuple.of(8, Draft.NEWEST),
                                        Tuple.of(2, Draft.MISSING))
                                .injectNull(0.2),
                        Arbitraries.of(0, 1, 5, 20).injectNull(0.2),
                        Arbitraries.frequency(
                                        Tuple.of(30, 10),
                                        Tuple.of(6, 300),
                                        Tuple.of(3, 20_000),
                                        Tuple.of(3, BULK),
                                        Tuple.of(1, 70_000),
                                        Tuple.of(3, 0),
                                        Tuple.of(1, World.RECORD_LIMIT + 100))
                                .injectNull(0.1),
                        Arbitraries.of(0, 0, 1, 2, 3),
                        Arbitraries.frequency(
                                Tuple.of(20, Draft.Time.NOW),
                                Tuple.of(2, Draft.Time.LONG_AGO),
                                Tuple.of(1, Draft.Time.EPOCH),
                                Tuple.of(1, Draft.Time.BEFORE),
                                Tuple.of(1, Draft.Time.FAR),
                                Tuple.of(1, Draft.Time.LEAST),
                                Tuple.of(1, Draft.Time.MOST)))
                .as(Draft::new);
    }

    private static Arbitrary<List<Step>> steps() {
        List<Tuple2<Integer, Arbitrary<List<Step>>>> all = new ArrayList<>();
        all.addAll(writing());
        all.addAll(reading());
        all.addAll(seeking());
        all.addAll(changing());
        return Arbitraries.frequencyOf(all);
    }

    private static Arbitrary<Step> publish(Arbitrary<Integer> writers) {
        return Combinators.combine(writers, topics(), drafts()).as(Step.Publish::new);
    }

    private static Arbitrary<Step> outbox(Arbitrary<Boolean> commits) {
        return Combinators.combine(topics(), Arbitraries.of(Outboxes.Way.class), drafts(), commits)
                .as((topic, way, draft, isCommitted) -> new Step.Outbox(topic, way, draft, 1, isCommitted));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> writing() {
        Arbitrary<Integer> writers = Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1));
        Arbitrary<Step> statements = Arbitraries.frequency(
                        Tuple.of(20, Statement.INSERT),
                        Tuple.of(2, Statement.SET_PATH),
                        Tuple.of(2, Statement.SET_ZONE),
                        Tuple.of(2, Statement.SET_LOCAL),
                        Tuple.of(2, Statement.ISOLATE),
                        Tuple.of(2, Statement.SAVEPOINT),
                        Tuple.of(1, Statement.ROLLBACK),
                        Tuple.of(1, Statement.COMMIT),
                        Tuple.of(1, Statement.COMMIT_AND_BEGIN),
                        Tuple.of(1, Statement.ROLLBACK_AND_CHAIN),
                        Tuple.of(1, Statement.READ_ONLY),
                        Tuple.of(1, Statement.FAIL))
                .map(Step.Sql::new);
        Arbitrary<Step> inside = Arbitraries.frequencyOf(
                Tuple.of(6, publish(Arbitraries.just(0))),
                Tuple.of(2, outbox(Arbitraries.just(true))),
                Tuple.of(3, statements),
                Tuple.of(1, Arbitraries.just(new Step.Flush(0))),
                Tuple.of(1, Arbitraries.just(new Step.Take(2))),
                Tuple.of(1, publish(Arbitraries.just(1))));
        Arbitrary<List<Step>> transactions = Combinators.combine(
                        Arbitraries.of(true, false),
                        inside.list().ofMaxSize(6),
                        Arbitraries.frequency(
                                Tuple.of(6, List.<Step>of(new Step.End(true))),
                                Tuple.of(2, List.<Step>of(new Step.End(false))),
                                Tuple.of(1, List.<Step>of(new Step.Begin(0, false), new Step.End(true))),
                                Tuple.of(1, List.<Step>of())))
                .as((withPositions, steps, end) -> {
                    List<Step> all = new ArrayList<>();
                    all.add(new Step.Begin(0, withPositions));
                    all.addAll(steps);
                    all.addAll(end);
                    return all;
                });
        Arbitrary<List<Step>> bulk = Combinators.combine(
                        topics(), partitions(), Arbitraries.of(6, 12), Arbitraries.of(true, true, false))
                .as((topic, partition, times, pauses) -> {
                    Draft draft = new Draft(partition, 5, BULK, 0, Draft.Time.NOW);
                    List<Step> all = new ArrayList<>();
                    all.add(new Step.Outbox(topic, Outboxes.Way.BYTES, draft, times, true));
                    if (pauses) {
                        all.add(new Step.Take(1));
                        all.add(new Step.Pause(topic, partition, true));
                    }
                    return all;
                });
        return List.of(
                Tuple.of(14, publish(writers).list().ofMinSize(1).ofMaxSize(6)),
                Tuple.of(4, one(writers.map(Step.Flush::new))),
                Tuple.of(5, transactions),
                Tuple.of(4, one(outbox(Arbitraries.of(true, true, true, false)))),
                Tuple.of(1, bulk),
                Tuple.of(1, one(writers.map(Step.OpenWriterAgain::new))));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> reading() {
        return List.of(
                Tuple.of(7, one(Arbitraries.just(new Step.ReadAll()))),
                Tuple.of(8, one(Arbitraries.integers().between(1, 5).map(Step.Take::new))),
                Tuple.of(2, one(Combinators.combine(topics(), partitions()).as(Step.Position::new))),
                Tuple.of(2, one(Arbitraries.just(new Step.Lag()))),
                Tuple.of(5, one(Arbitraries.just(new Step.CommitPositions()))),
                Tuple.of(
                        4,
                        one(Combinators.combine(topics(), partitions(), Arbitraries.of(true, false))
                                .as(Step.Pause::new))));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> seeking() {
        Arbitrary<Integer> topics = topics();
        Arbitrary<Integer> partitions = partitions();
        Arbitrary<Integer> batches = Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.integers().between(0, 8)),
                Tuple.of(1, Arbitraries.of(Step.LONG_AGO, Step.FAR)));
        return List.of(
                Tuple.of(
                        4,
                        one(Combinators.combine(
                                        topics,
                                        partitions,
                                        Arbitraries.integers().between(0, 20),
                                        Arbitraries.of(true, false))
                                .as(Step.Seek::new))),
                Tuple.of(
                        2,
                        one(Combinators.combine(
                                        topics,
                                        partitions,
                                        Arbitraries.of(0L, 1L, (1L << 24) - 1, 1L << 24, 1L << 50, Long.MAX_VALUE, -1L))
                                .as(Step.SeekTo::new))),
                Tuple.of(2, one(Combinators.combine(topics, partitions).as(Step.SeekToStart::new))),
                Tuple.of(2, one(Combinators.combine(topics, partitions).as(Step.SeekToEnd::new))),
                Tuple.of(3, one(Combinators.combine(topics, partitions, batches).as(Step.SeekToTime::new))));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> changing() {
        Arbitrary<Integer> topics = topics();
        Arbitrary<List<Step>> madeAgain = Combinators.combine(
                        topics, Arbitraries.of(1, 2, 3), Arbitraries.of(true, true, false))
                .as((topic, partitions, creates) -> creates
                        ? List.of(new Step.DeleteTopic(topic), new Step.CreateTopic(topic, partitions))
                        : List.of(new Step.DeleteTopic(topic)));
        Arbitrary<String> names = Arbitraries.of(
                "",
                " ",
                "\t\n",
                "a\0b",
                "\ud800",
                "x\udc00y",
                "x".repeat(500),
                "x".repeat(501),
                "\ud83c\udf89".repeat(125),
                "\u00e9".repeat(251),
                "\u3000",
                "-",
                "'",
                "\u202e",
                "..",
                "/");
        return List.of(
                Tuple.of(1, one(Arbitraries.of(true, false).map(Step.Rebalance::new))),
                Tuple.of(3, one(Arbitraries.just(new Step.CloseMembers()))),
                Tuple.of(2, one(Arbitraries.just(new Step.Inspect()))),
                Tuple.of(
                        1,
                        Combinators.combine(
                                        topics,
                                        Arbitraries.integers().between(Step.FAR, 8),
                                        Arbitraries.of(true, true, false))
                                .as((topic, batch, closes) -> closes
                                        ? List.of(new Step.CloseMembers(), new Step.SeekGroup(topic, batch))
                                        : List.of(new Step.SeekGroup(topic, batch)))),
                Tuple.of(
                        1,
                        Arbitraries.of(
                                List.of(new Step.DeleteGroup()),
                                List.of(new Step.CloseMembers(), new Step.DeleteGroup()))),
                Tuple.of(3, one(Arbitraries.just(new Step.Trim()))),
                Tuple.of(1, one(topics.map(Step.AddPartition::new))),
                Tuple.of(1, madeAgain),
                Tuple.of(
                        1,
                        one(Combinators.combine(Arbitraries.of(Step.Kind.class), names)
                                .as(Step.Use::new))));
    }

    private static Arbitrary<List<Step>> one(Arbitrary<? extends Step> step) {
        return step.map(Collections::singletonList);
    }
}
