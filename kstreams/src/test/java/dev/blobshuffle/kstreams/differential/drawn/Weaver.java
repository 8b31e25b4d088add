package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.Output.Agreement;
import dev.blobshuffle.kstreams.differential.drawn.Op.Partitioning;
import dev.blobshuffle.kstreams.differential.drawn.Program.Flow;
import dev.blobshuffle.kstreams.differential.drawn.Strand.Trait;
import dev.blobshuffle.kstreams.differential.drawn.Texts.Rekey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * Builds the topology of a program. It tracks the guarantees of Kafka Streams about each stream,
 * and omits or weakens operators whose results would be random.
 */
final class Weaver {
    final StreamsBuilder builder = new StreamsBuilder();
    final Setup setup;
    final boolean hasMotion;
    private final boolean isAlwaysExactlyOnce;
    private final boolean isEverExactlyOnce;

    /** Stores whose changelogs end with the same value of each key. */
    final List<String> changelogs = new ArrayList<>();

    /** Those of them that can be queried by key. */
    final List<String> stores = new ArrayList<>();

    /** The agreement of both sides on each sink, by its name. */
    final Map<String, Agreement> sinks = new LinkedHashMap<>();

    int wallClockBuffers;
    private final String prefix;
    private final Aggregates aggregates = new Aggregates(this);
    private final Joins joins = new Joins(this);
    private int topics;
    private int names;
    private @Nullable GlobalKTable<String, String> global;

    Weaver(Program program, String prefix) {
        this.setup = program.setup();
        this.hasMotion = program.hasMotion();
        this.isAlwaysExactlyOnce = program.isAlwaysExactlyOnce();
        this.isEverExactlyOnce = program.isEverExactlyOnce();
        this.prefix = prefix;
        program.flows().forEach(flow -> sink(weave(flow)));
    }

    Topology build(Properties settings) {
        return builder.build(settings);
    }

    List<String> topics() {
        return IntStream.range(0, topics).mapToObj(i -> prefix + "-in-" + i).toList();
    }

    static String output(String prefix) {
        return prefix + "-out";
    }

    static String globals(String prefix) {
        return prefix + "-global";
    }

    /** A table that each instance has as a whole. */
    GlobalKTable<String, String> global() {
        GlobalKTable<String, String> present = global;
        if (present == null) {
            present = builder.globalTable(globals(prefix));
            global = present;
        }
        return present;
    }

    boolean hasGlobal() {
        return global != null;
    }

    /** Whether the next operator has a name from the program; Kafka Streams names the others. */
    boolean isNextNamed() {
        return names % 2 == 0 || !setup.isClassic();
    }

    String name(String kind) {
        return kind + names++;
    }

    /** Whether stream time is the same in each run for each record of a stream. */
    boolean isTimed(Strand strand) {
        return strand.has(Trait.TOTAL) && !hasMotion;
    }

    Strand weave(Flow flow) {
        KStream<String, String> source = builder.stream(prefix + "-in-" + topics++);
        Strand strand = new Strand(
                source.process(Processors.Path::new),
                setup.partitions(),
                EnumSet.of(Trait.TOTAL, Trait.BY_KEY, Trait.NULL_KEYS));
        return weave(strand, flow.ops());
    }

    private Strand weave(Strand start, List<Op> ops) {
        Strand strand = start;
        for (Op op : ops) {
            if (!strand.isLast()) {
                Strand next = weave(strand, op);
                strand = mayMove(op) ? next.with(next.stream().process(Processors.Path::new)) : next;
            }
        }
        return strand;
    }

    /** Whether an operator's results may come from a task other than its records'. */
    private static boolean mayMove(Op op) {
        return op instanceof Op.Aggregate
                || op instanceof Op.ToTable
                || op instanceof Op.Cogroup
                || op instanceof Op.Join
                || op instanceof Op.Buffer;
    }

    private Strand weave(Strand strand, Op op) {
        KStream<String, String> stream = strand.stream();
        if (op instanceof Op.SelectKey select) {
            return rekey(strand, select.by());
        } else if (op instanceof Op.Map map) {
            return strand.with(stream.mapValues(value -> map.by().of(value)));
        } else if (op instanceof Op.Filter) {
            return strand.with(stream.filter((key, value) -> Texts.bucket(value, 5) != 0));
        } else if (op instanceof Op.FlatMapValues) {
            return strand.with(stream.flatMapValues(
                    value -> Texts.bucket(value, 3) == 0 ? List.of() : List.of(value + "", value + "+")));
        } else if (op instanceof Op.FlatMap) {
            return strand.rekeyed(
                            stream.flatMap((key, value) ->
                                    List.of(KeyValue.pair(key + "/0", value), KeyValue.pair(key + "/1", value + "'"))),
                            true)
                    .minus(Trait.NULL_KEYS);
        } else if (op instanceof Op.Repartition repartition) {
            return repartition(strand, repartition);
        } else if (op instanceof Op.Split split) {
            return split(strand, split);
        } else if (op instanceof Op.Merge merge) {
            return joins.merge(strand, weave(merge.other()));
        } else if (op instanceof Op.Cogroup cogroup) {
            return joins.cogroup(strand, weave(cogroup.other()));
        } else if (op instanceof Op.Join join) {
            return joins.join(join, strand, weave(join.other()));
        }
        return aggregatesOrProcesses(strand, op);
    }

    private Strand aggregatesOrProcesses(Strand strand, Op op) {
        KStream<String, String> stream = strand.stream();
        if (op instanceof Op.Aggregate aggregate) {
            return aggregates.aggregate(aggregate, strand);
        } else if (op instanceof Op.ToTable table) {
            return aggregates.toTable(table, strand);
        } else if (op instanceof Op.Regroup) {
            return aggregates.regroup(strand);
        } else if (op instanceof Op.Stamp) {
            return strand.with(stream.process(Processors.Stamp::new));
        } else if (op instanceof Op.Shift shift) {
            return strand.with(stream.process(() -> new Processors.Shift(shift.millis())));
        } else if (op instanceof Op.Fragile) {
            return strand.with(stream.process(Processors.Fragile::new));
        } else if (op instanceof Op.FailOnce) {
            String name = name("failing");
            return isAlwaysExactlyOnce ? strand.with(stream.process(() -> new FailOnce(name))) : strand;
        } else if (op instanceof Op.Remember remember) {
            return remember(strand, remember.isOfValues());
        } else if (op instanceof Op.Buffer buffer) {
            return buffer(strand, buffer.isByWallClock());
        } else if (op instanceof Op.GlobalJoin join) {
            return joins.global(join, strand);
        }
        throw new AssertionError(op);
    }

    Strand cogroup(Strand left, Strand right) {
        return aggregates.cogroup(left, right);
    }

    private static Strand rekey(Strand strand, Rekey by) {
        Strand rekeyed = strand.rekeyed(strand.stream().selectKey(by::of), by == Rekey.LONGER);
        return by == Rekey.SOMETIMES_NULL ? rekeyed.plus(Trait.NULL_KEYS) : rekeyed.minus(Trait.NULL_KEYS);
    }

    private Strand repartition(Strand strand, Op.Repartition op) {
        KStream<String, String> stream = strand.stream();
        if (op.before() != Texts.Mapping.NOTHING && !isListed(op.before())) {
            stream = stream.mapValues(value -> op.before().of(value));
        }
        boolean isNamed = isNextNamed();
        String name = name("moved");
        Repartitioned<String, String> how = Repartitioned.numberOfPartitions(op.partitions());
        if (isNamed) {
            how = how.withName(name);
        }
        if (op.partitioning() != Partitioning.DEFAULT) {
            how = how.withStreamPartitioner(partitioner(op.partitioning()));
        }
        Strand moved = strand.shuffled(stream.repartition(how).process(Processors.Path::new), op.partitions());
        if (op.partitioning() != Partitioning.DEFAULT && op.partitions() > 1) {
            return moved.minus(Trait.BY_KEY);
        }
        return moved.has(Trait.NULL_KEYS) && op.partitions() > 1
                ? moved.minus(Trait.BY_KEY, Trait.TOTAL).plus(Trait.UNORDERED)
                : moved;
    }

    /** Whether {@link DrawnDifferences} lists a difference between the sides for it. */
    private boolean isListed(Texts.Mapping mapping) {
        return mapping == Texts.Mapping.INFLATE && isEverExactlyOnce;
    }

    /** A shuffle by key to as many partitions as the sources have. */
    Strand moved(Strand strand) {
        return repartition(strand, new Op.Repartition(setup.partitions(), Partitioning.DEFAULT, Texts.Mapping.NOTHING));
    }

    private static StreamPartitioner<String, String> partitioner(Partitioning partitioning) {
        return (topic, key, value, partitions) -> switch (partitioning) {
            case DEFAULT -> Optional.empty();
            case BY_VALUE -> Optional.of(Set.of(Texts.bucket(value, partitions)));
            case TO_ALL -> Optional.of(IntStream.range(0, partitions).boxed().collect(Collectors.toSet()));
            case TO_NONE ->
                Optional.of(Texts.bucket(value, 3) == 0 ? Set.of() : Set.of(Texts.bucket(value, partitions)));
        };
    }

    private Strand split(Strand strand, Op.Split split) {
        String name = name("split");
        Map<String, KStream<String, String>> branches = strand.stream()
                .split(Named.as(name))
                .branch((key, value) -> Texts.bucket(value, 2) == 0, Branched.as("-a"))
                .defaultBranch(Branched.as("-b"));
        sink(weave(strand.with(branches.get(name + "-a")), split.branch()));
        return strand.with(branches.get(name + "-b"));
    }

    private Strand remember(Strand strand, boolean isOfValues) {
        if (!strand.has(Trait.BY_KEY)) {
            return strand;
        }
        String store = store();
        changelogs.add(store);
        stores.add(store);
        return strand.with(
                isOfValues
                        ? strand.stream().processValues(() -> new Processors.RememberValue(store), store)
                        : strand.stream().process(() -> new Processors.Remember(store), store));
    }

    private Strand buffer(Strand strand, boolean isByWallClock) {
        if (!strand.has(Trait.BY_KEY)) {
            return strand;
        }
        String store = store();
        wallClockBuffers += isByWallClock ? 1 : 0;
        Strand keyed = strand.withoutNullKeys();
        return keyed.with(keyed.stream()
                        .process(
                                () -> isByWallClock ? new WallClockBuffer(store) : new Processors.Buffer(store), store))
                .plus(Trait.BUFFERED);
    }

    private String store() {
        String store = name("store");
        builder.addStateStore(Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(store), new FragileSerde(), new FragileSerde()));
        return store;
    }

    /** Ends a stream. */
    void sink(Strand strand) {
        String sink = name("sink");
        boolean hasOrder = !strand.isLast() && !strand.has(Trait.UNORDERED) && !strand.has(Trait.HEADERLESS);
        boolean hasHeaders = !strand.isLast() && !strand.has(Trait.HEADERLESS);
        sinks.put(sink, agreement(strand, hasOrder));
        strand.stream()
                .process(() -> new Processors.ToSink(sink, hasOrder, hasHeaders))
                .to(
                        output(prefix),
                        Produced.streamPartitioner((topic, key, value, partitions) -> Optional.of(Set.of(0))));
    }

    private static Agreement agreement(Strand strand, boolean hasOrder) {
        if (strand.has(Trait.LAST)) {
            return Agreement.VALUES;
        }
        return strand.has(Trait.LAST_TIMED) ? Agreement.TABLE : hasOrder ? Agreement.SEQUENCE : Agreement.MULTISET;
    }
}
