package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafka.differential.Setup.Batching;
import dev.blobshuffle.kafka.differential.Setup.Habits;
import dev.blobshuffle.kafka.differential.Setup.Isolation;
import dev.blobshuffle.kafka.differential.Setup.Listening;
import dev.blobshuffle.kafka.differential.Setup.Membership;
import dev.blobshuffle.kafka.differential.Setup.Reset;
import dev.blobshuffle.kafka.differential.Setup.Subscribing;
import dev.blobshuffle.kafka.differential.Setup.Timestamps;
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
    /** More than a topic has, so that some calls name a partition that does not exist. */
    private static final int MOST_PARTITIONS = 3;

    private static final Draft NEWEST = new Draft(Draft.NEWEST, 5, 10, 0, Draft.Time.FIRST);

    private Programs() {}

    static Arbitrary<Program> all() {
        return Combinators.combine(setups(), steps().list().ofMinSize(2).ofMaxSize(30))
                .as((setup, blocks) -> new Program(setup, flat(blocks)));
    }

    private static List<Step> flat(List<List<Step>> blocks) {
        List<Step> steps = new ArrayList<>();
        blocks.forEach(steps::addAll);
        return steps;
    }

    private static Arbitrary<Setup> setups() {
        return Combinators.combine(
                        Arbitraries.frequency(Tuple.of(3, 1), Tuple.of(3, 2), Tuple.of(1, 3)),
                        Arbitraries.frequency(
                                Tuple.of(8, Membership.ASSIGNED),
                                Tuple.of(1, Membership.CLASSIC),
                                Tuple.of(1, Membership.CONSUMER)),
                        Arbitraries.of(Isolation.class),
                        Arbitraries.frequency(
                                Tuple.of(6, Reset.EARLIEST), Tuple.of(1, Reset.LATEST), Tuple.of(1, Reset.NONE)),
                        Arbitraries.of(500, 1, 2, 7),
                        Arbitraries.frequency(Tuple.of(4, Timestamps.CREATE_TIME), Tuple.of(1, Timestamps.APPEND_TIME)),
                        Arbitraries.of(Batching.class),
                        habits())
                .as(Setup::new)
                .filter(Programs::isRepeatable);
    }

    private static Arbitrary<Habits> habits() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(6, Listening.NONE),
                                Tuple.of(1, Listening.SEEKS),
                                Tuple.of(1, Listening.PAUSES),
                                Tuple.of(1, Listening.COMMITS)),
                        Arbitraries.frequency(
                                Tuple.of(3, Subscribing.TOPIC),
                                Tuple.of(1, Subscribing.PATTERN),
                                Tuple.of(1, Subscribing.BROKERS_PATTERN)),
                        Arbitraries.frequency(Tuple.of(4, false), Tuple.of(1, true)))
                .as(Habits::new);
    }

    /**
     * Members of the new protocol find their start in the background, and a rebalance gives them
     * partitions that differ from run to run. The classic one has no patterns of brokers.
     */
    private static boolean isRepeatable(Setup setup) {
        Habits habits = setup.habits();
        boolean isOwn = setup.reset() == Reset.NONE || habits.listening() != Listening.NONE;
        return switch (setup.membership()) {
            case CONSUMER -> !isOwn;
            case CLASSIC -> habits.subscribing() != Subscribing.BROKERS_PATTERN;
            case ASSIGNED -> true;
        };
    }

    private static Arbitrary<Integer> partitions() {
        return Arbitraries.frequency(Tuple.of(12, 0), Tuple.of(6, 1), Tuple.of(3, 2), Tuple.of(1, MOST_PARTITIONS));
    }

    private static Arbitrary<Draft> drafts() {
        Arbitrary<Integer> value = Arbitraries.frequency(
                Tuple.of(20, 10),
                Tuple.of(5, 300),
                Tuple.of(4, 1500),
                Tuple.of(2, 0),
                Tuple.of(1, Door.RECORD_LIMIT + 100));
        Arbitrary<Integer> key = Arbitraries.of(0, 5, 20).injectNull(0.2);
        Arbitrary<Draft.Time> times = Arbitraries.frequency(
                Tuple.of(10, Draft.Time.FIRST),
                Tuple.of(10, Draft.Time.SECOND),
                Tuple.of(10, Draft.Time.THIRD),
                Tuple.of(5, Draft.Time.NOW),
                Tuple.of(2, Draft.Time.EPOCH),
                Tuple.of(2, Draft.Time.OLD),
                Tuple.of(2, Draft.Time.SOON),
                Tuple.of(1, Draft.Time.FAR));
        Arbitrary<Integer> existing =
                Arbitraries.frequency(Tuple.of(200, 0), Tuple.of(100, 1), Tuple.of(50, 2), Tuple.of(2, Draft.MISSING));
        return Combinators.combine(existing, key, value.injectNull(0.1), Arbitraries.of(0, 1, 2, 3), times)
                .as(Draft::new);
    }

    private static Arbitrary<List<Step>> steps() {
        Arbitrary<Draft> drafts = drafts();
        Arbitrary<List<Step>> sends = one(drafts.map(draft -> new Step.Send(false, draft)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(6)
                .map(Programs::flat);
        Arbitrary<List<Step>> transaction = Combinators.combine(
                        drafts.map(draft -> (Step) new Step.Send(true, draft))
                                .list()
                                .ofMaxSize(4),
                        transactionEnds())
                .as((inside, end) -> {
                    List<Step> steps = new ArrayList<>();
                    steps.add(new Step.Begin());
                    steps.addAll(inside);
                    steps.addAll(end);
                    return steps;
                });
        List<Tuple2<Integer, Arbitrary<List<Step>>>> all = new ArrayList<>();
        all.add(Tuple.of(16, sends));
        all.add(Tuple.of(4, transaction));
        all.add(Tuple.of(1, one(drafts.map(draft -> new Step.Send(true, draft)))));
        all.add(Tuple.of(4, one(Arbitraries.just(new Step.Flush()))));
        all.addAll(reading());
        all.addAll(committing());
        all.addAll(changing());
        all.add(Tuple.of(10, one(Arbitraries.of(OddCall.drawn()).map(Step.Odd::new))));
        return Arbitraries.frequencyOf(all);
    }

    private static Arbitrary<List<Step>> transactionEnds() {
        return Arbitraries.frequency(
                Tuple.of(6, List.of(new Step.Commit())),
                Tuple.of(3, List.of(new Step.Abort())),
                Tuple.of(2, List.of(new Step.Flush(), new Step.Abort())),
                Tuple.of(2, List.of(new Step.SendOffsets("t"), new Step.Commit())),
                Tuple.of(1, List.of(new Step.SendOffsets(""), new Step.Abort())),
                Tuple.of(1, List.of(new Step.Commit(), new Step.Abort())),
                Tuple.of(1, List.of()));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> reading() {
        Arbitrary<Integer> partitions = partitions();
        Arbitrary<Integer> indexes = Arbitraries.integers().between(0, 20);
        return List.of(
                Tuple.of(12, one(Arbitraries.just(new Step.ReadAll()))),
                Tuple.of(
                        8,
                        one(Combinators.combine(
                                        partitions, Arbitraries.integers().between(1, 5))
                                .as(Step.Take::new))),
                Tuple.of(5, one(Combinators.combine(partitions, indexes).as(Step.Seek::new))),
                Tuple.of(
                        2,
                        one(Combinators.combine(partitions, Arbitraries.of(0L, 1L << 50, -1L))
                                .as(Step.SeekTo::new))),
                Tuple.of(3, one(partitions.map(Step.SeekToBeginning::new))),
                Tuple.of(2, one(partitions.map(Step.SeekToEnd::new))),
                Tuple.of(
                        5,
                        one(Combinators.combine(partitions, Arbitraries.of(Draft.Time.class))
                                .as(Step.SeekToTime::new))),
                Tuple.of(3, one(partitions.map(Step.Position::new))),
                Tuple.of(3, one(partitions.map(Step.Ends::new))),
                Tuple.of(1, one(partitions.map(Step.Lag::new))),
                Tuple.of(
                        2,
                        one(Combinators.combine(partitions, Arbitraries.of(true, false))
                                .as(Step.Pause::new))),
                Tuple.of(
                        1,
                        one(Combinators.combine(partitions, Arbitraries.of(true, false))
                                .as(Step.ListOffsets::new))),
                Tuple.of(
                        2,
                        one(Combinators.combine(partitions, Arbitraries.of(Draft.Time.class))
                                .as(Step.ListOffsetsAt::new))));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> committing() {
        Arbitrary<Integer> partitions = partitions();
        return List.of(
                Tuple.of(4, one(Arbitraries.of(true, false).map(Step.CommitPositions::new))),
                Tuple.of(
                        3,
                        one(Combinators.combine(
                                        partitions,
                                        Arbitraries.integers().between(0, 20),
                                        Arbitraries.of("", "mine", "bs1:7:x", "bs1:", "x".repeat(5000)))
                                .as(Step.CommitRecord::new))),
                Tuple.of(4, one(partitions.map(Step.Committed::new))),
                Tuple.of(1, one(Arbitraries.just(new Step.RewriteCommits()))));
    }

    private static List<Tuple2<Integer, Arbitrary<List<Step>>>> changing() {
        return List.of(
                Tuple.of(3, one(Arbitraries.just(new Step.Rebalance()))),
                Tuple.of(2, one(Arbitraries.just(new Step.OpenAgain()))),
                Tuple.of(
                        2,
                        Combinators.combine(partitions(), Arbitraries.integers().between(0, 20))
                                .as((partition, index) ->
                                        List.of(new Step.Flush(), new Step.DeleteRecords(partition, index)))),
                Tuple.of(1, Arbitraries.just(List.of(new Step.AddPartition(), new Step.Send(false, NEWEST)))),
                Tuple.of(1, one(Arbitraries.of(1, 2).map(Step.MakeAgain::new))));
    }

    private static Arbitrary<List<Step>> one(Arbitrary<? extends Step> step) {
        return step.map(Collections::singletonList);
    }
}
