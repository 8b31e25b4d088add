package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.Protocols;
import dev.blobshuffle.kstreams.differential.drawn.Op.Fold;
import dev.blobshuffle.kstreams.differential.drawn.Op.Joining;
import dev.blobshuffle.kstreams.differential.drawn.Op.Kind;
import dev.blobshuffle.kstreams.differential.drawn.Op.Partitioning;
import dev.blobshuffle.kstreams.differential.drawn.Op.Window;
import dev.blobshuffle.kstreams.differential.drawn.Program.Draft;
import dev.blobshuffle.kstreams.differential.drawn.Program.Event;
import dev.blobshuffle.kstreams.differential.drawn.Program.Flow;
import dev.blobshuffle.kstreams.differential.drawn.Program.Header;
import dev.blobshuffle.kstreams.differential.drawn.Program.Phase;
import dev.blobshuffle.kstreams.differential.drawn.Setup.Batching;
import dev.blobshuffle.kstreams.differential.drawn.Setup.Continues;
import dev.blobshuffle.kstreams.differential.drawn.Setup.Membership;
import dev.blobshuffle.kstreams.differential.drawn.Texts.Mapping;
import dev.blobshuffle.kstreams.differential.drawn.Texts.Rekey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** Generates programs; frequent operations of applications are frequent. */
final class Programs {
    /** The depth of nested joins. */
    private static final int DEPTH = 2;

    private Programs() {}

    static Arbitrary<Program> all() {
        return Combinators.combine(
                        setups(),
                        flows(DEPTH).list().ofMinSize(1).ofMaxSize(3),
                        phases().list().ofMinSize(2).ofMaxSize(5))
                .as(Program::new);
    }

    private static Arbitrary<Boolean> oneIn(int count) {
        return Arbitraries.frequency(Tuple.of(1, true), Tuple.of(count - 1, false));
    }

    private static Arbitrary<Setup> setups() {
        Arbitrary<Continues> handlers = Combinators.combine(oneIn(20), oneIn(20), oneIn(20))
                .as((one, other, third) -> new Continues(!one, !other, !third));
        Arbitrary<Membership> memberships =
                Combinators.combine(Arbitraries.of(0, 0, 1), oneIn(4)).as(Membership::new);
        Arbitrary<Tuple2<Boolean, Boolean>> rare =
                Combinators.combine(oneIn(6), oneIn(3)).as(Tuple::of);
        return Combinators.combine(
                        Arbitraries.of(true, false),
                        Arbitraries.frequency(
                                Tuple.of(5, "classic"),
                                Tuple.of(1, Protocols.all().get(Protocols.all().size() - 1))),
                        Arbitraries.frequency(Tuple.of(4, 1), Tuple.of(1, 2)),
                        Arbitraries.frequency(Tuple.of(3, 1), Tuple.of(1, 2)),
                        Arbitraries.frequency(Tuple.of(3, 1), Tuple.of(3, 2), Tuple.of(1, 3)),
                        rare,
                        oneIn(3),
                        Combinators.combine(memberships, handlers, oneIn(3), Arbitraries.of(Batching.class))
                                .as(Tuple::of))
                .as((guarantee, protocol, instances, threads, partitions, isRare, isPurged, rest) -> new Setup(
                        guarantee,
                        protocol,
                        instances,
                        threads,
                        rest.get1(),
                        partitions,
                        isRare.get1(),
                        isRare.get2(),
                        isPurged,
                        rest.get2(),
                        rest.get3(),
                        rest.get4()));
    }

    private static Arbitrary<Phase> phases() {
        Arbitrary<Draft> drafts = Combinators.combine(
                        Arbitraries.frequency(Tuple.of(1, -1), Tuple.of(8, 0), Tuple.of(6, 1), Tuple.of(4, 2))
                                .flatMap(key -> key == 2 ? Arbitraries.of(2, 3, 4, 5) : Arbitraries.just(key)),
                        Arbitraries.frequency(
                                Tuple.of(6, 'a'),
                                Tuple.of(4, 'b'),
                                Tuple.of(2, 'c'),
                                Tuple.of(1, 'd'),
                                Tuple.of(2, '0'),
                                Tuple.of(1, Texts.UNREADABLE)),
                        Arbitraries.frequency(
                                Tuple.of(8, 0),
                                Tuple.of(2, -300),
                                Tuple.of(2, -1_500),
                                Tuple.of(1, -4_000),
                                Tuple.of(1, 5_000),
                                Tuple.of(1, -3_600_000)),
                        Arbitraries.of(Header.class).set().ofMaxSize(2))
                .as(Draft::new);
        return Combinators.combine(
                        Arbitraries.integers().between(0, 5),
                        drafts.list().ofMinSize(3).ofMaxSize(25),
                        Arbitraries.frequency(Tuple.of(7, Event.NONE), Tuple.of(1, Event.START))
                                .flatMap(event -> event == Event.NONE
                                        ? Arbitraries.just(event)
                                        : Arbitraries.of(EnumSet.complementOf(EnumSet.of(Event.NONE)))))
                .as(Phase::new);
    }

    private static Arbitrary<Flow> flows(int depth) {
        return ops(depth).list().ofMinSize(1).ofMaxSize(depth == DEPTH ? 6 : 3).map(Programs::flow);
    }

    private static Flow flow(List<List<Op>> parts) {
        List<Op> ops = new ArrayList<>();
        parts.forEach(ops::addAll);
        return new Flow(ops);
    }

    private static Arbitrary<List<Op>> ops(int depth) {
        List<Tuple2<Integer, Arbitrary<List<Op>>>> all = new ArrayList<>();
        all.add(Tuple.of(4, one(Arbitraries.of(Rekey.class).map(Op.SelectKey::new))));
        all.add(Tuple.of(
                2,
                one(Arbitraries.of(Mapping.APPEND, Mapping.SOMETIMES_NULL, Mapping.SOMETIMES_EMPTY)
                        .map(Op.Map::new))));
        all.add(Tuple.of(
                3, one(Arbitraries.of(new Op.Filter(), new Op.FlatMap(), new Op.FlatMapValues(), new Op.Stamp()))));
        all.add(Tuple.of(1, one(Arbitraries.of(-2_500, 1, 3_000).map(Op.Shift::new))));
        all.add(Tuple.of(6, repartitions()));
        all.add(Tuple.of(5, aggregates()));
        all.add(Tuple.of(2, one(oneIn(3).map(Op.ToTable::new))));
        all.add(Tuple.of(1, one(Arbitraries.of(new Op.Regroup(), new Op.Fragile(), new Op.FailOnce()))));
        all.add(Tuple.of(2, one(Arbitraries.of(true, false).map(Op.Remember::new))));
        all.add(Tuple.of(1, one(Arbitraries.of(true, false).map(Op.Buffer::new))));
        all.add(Tuple.of(1, one(Arbitraries.of(true, false).map(Op.GlobalJoin::new))));
        if (depth > 0) {
            all.add(Tuple.of(
                    1,
                    one(ops(depth - 1)
                            .list()
                            .ofMaxSize(3)
                            .map(parts -> new Op.Split(flow(parts).ops())))));
            all.add(Tuple.of(1, one(flows(depth - 1).map(Op.Merge::new))));
            all.add(Tuple.of(1, one(flows(depth - 1).map(Op.Cogroup::new))));
            all.add(Tuple.of(
                    4,
                    one(Combinators.combine(
                                    Arbitraries.of(Joining.class),
                                    Arbitraries.of(Kind.class),
                                    Arbitraries.of(true, false),
                                    flows(depth - 1))
                            .as(Op.Join::new))));
        }
        return Arbitraries.frequencyOf(all);
    }

    private static Arbitrary<List<Op>> repartitions() {
        return one(Combinators.combine(
                        Arbitraries.frequency(Tuple.of(3, 1), Tuple.of(3, 2), Tuple.of(1, 3)),
                        Arbitraries.frequency(
                                Tuple.of(5, Partitioning.DEFAULT),
                                Tuple.of(2, Partitioning.BY_VALUE),
                                Tuple.of(1, Partitioning.TO_ALL),
                                Tuple.of(1, Partitioning.TO_NONE)),
                        Arbitraries.frequency(
                                Tuple.of(8, Mapping.NOTHING),
                                Tuple.of(1, Mapping.SPOIL),
                                Tuple.of(1, Mapping.CORRUPT),
                                Tuple.of(1, Mapping.INFLATE),
                                Tuple.of(1, Mapping.SOMETIMES_NULL)))
                .as(Op.Repartition::new));
    }

    /** Often with a new key, because there is no shuffle without it. */
    private static Arbitrary<List<Op>> aggregates() {
        Arbitrary<Op> aggregates = Combinators.combine(
                        Arbitraries.of(Fold.class),
                        Arbitraries.of(Window.class),
                        Arbitraries.of(true, false),
                        Arbitraries.of(Op.Emission.class))
                .as(Op.Aggregate::new);
        return Combinators.combine(Arbitraries.of(Rekey.class), aggregates)
                .as((by, aggregate) -> List.of(new Op.SelectKey(by), aggregate));
    }

    private static Arbitrary<List<Op>> one(Arbitrary<? extends Op> op) {
        return op.map(List::of);
    }
}
