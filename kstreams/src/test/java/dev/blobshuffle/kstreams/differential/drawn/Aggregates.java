package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.drawn.Op.Emission;
import dev.blobshuffle.kstreams.differential.drawn.Op.Fold;
import dev.blobshuffle.kstreams.differential.drawn.Op.Window;
import dev.blobshuffle.kstreams.differential.drawn.Strand.Trait;
import java.time.Duration;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Aggregator;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;
import org.jspecify.annotations.Nullable;

/** Adds aggregates and tables. */
final class Aggregates {
    private static final Duration SIZE = Duration.ofSeconds(2);
    private static final Duration SHORT_GRACE = Duration.ofSeconds(1);

    private final Weaver weaver;

    Aggregates(Weaver weaver) {
        this.weaver = weaver;
    }

    Strand aggregate(Op.Aggregate op, Strand strand) {
        Strand keyed = keyed(strand);
        Strand grouped = keyed.shuffledIfRekeyed();
        boolean isOrdered = grouped.has(Trait.BY_KEY);
        Fold fold = isOrdered || !op.fold().dependsOnOrder() ? op.fold() : Fold.COUNT;
        Window window = isOrdered || op.window() != Window.SLIDING ? op.window() : Window.TUMBLING;
        String name = weaver.name("aggregate");
        weaver.changelogs.add(name);
        KGroupedStream<String, String> groups = keyed.stream().groupByKey(Grouped.as(name));
        Strand result;
        if (window == Window.NONE) {
            weaver.stores.add(name);
            result = grouped.with(fold(groups, fold, name).toStream());
        } else {
            boolean isShort = op.isShort() && weaver.isTimed(grouped);
            KTable<Windowed<String>, String> table =
                    windowed(groups, fold, window, isShort ? SHORT_GRACE : Inputs.GRACE, op.emission(), name);
            if (op.emission() == Emission.SUPPRESSED) {
                table = table.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()));
            }
            result = grouped.rekeyed(table.toStream((key, value) -> text(key)), true);
            if (op.emission() != Emission.AT_UPDATE && !weaver.isTimed(grouped)) {
                result = result.minus(Trait.TOTAL);
            }
        }
        result = result.minus(Trait.NULL_KEYS, Trait.UNORDERED);
        return isOrdered ? ofCache(result) : result.plus(Trait.LAST_TIMED);
    }

    /** With a cache, only last values are deterministic. */
    private Strand ofCache(Strand strand) {
        return weaver.setup.isCached() ? strand.plus(Trait.LAST) : strand;
    }

    private static String text(Windowed<String> key) {
        return key.key() + "@" + (key.window().start() - Inputs.START) + "-"
                + (key.window().end() - Inputs.START);
    }

    /** Groups a stream whose keys are shuffled first, unless they are where they belong. */
    private static Strand keyed(Strand strand) {
        return strand.has(Trait.BY_KEY) || strand.has(Trait.REKEYED)
                ? strand
                : strand.rekeyed(strand.stream().selectKey((key, value) -> key), false);
    }

    /** The largest value of each key in both streams, because their records meet in any order. */
    Strand cogroup(Strand one, Strand other) {
        Strand left = keyed(one);
        Strand right = keyed(other);
        if (left.partitions() != right.partitions()) {
            left = weaver.moved(left);
            right = weaver.moved(right);
        }
        String name = weaver.name("cogroup");
        weaver.changelogs.add(name);
        weaver.stores.add(name);
        Aggregator<String, String, String> largest = (key, value, before) -> Texts.max(before, value);
        KTable<String, String> table = left.stream()
                .groupByKey(Grouped.as(name + "-left"))
                .cogroup(largest)
                .cogroup(right.stream().groupByKey(Grouped.as(name + "-right")), largest)
                .aggregate(() -> "", texts(Materialized.as(name)));
        return left.shuffledIfRekeyed()
                .with(table.toStream())
                .minus(Trait.NULL_KEYS, Trait.UNORDERED)
                .plus(Trait.LAST_TIMED);
    }

    private static KTable<String, String> fold(KGroupedStream<String, String> groups, Fold fold, String name) {
        Materialized<String, String, KeyValueStore<Bytes, byte[]>> store = texts(Materialized.as(name));
        return switch (fold) {
            case COUNT ->
                groups.count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as(name)
                                .withKeySerde(new FragileSerde()))
                        .mapValues(String::valueOf);
            case REDUCE -> groups.reduce(Texts::digest, store);
            default -> groups.aggregate(() -> "", (key, value, before) -> next(fold, value, before), store);
        };
    }

    private static <S extends StateStore> Materialized<String, String, S> texts(Materialized<String, String, S> store) {
        return store.withKeySerde(new FragileSerde()).withValueSerde(new FragileSerde());
    }

    private static String next(Fold fold, String value, String before) {
        return switch (fold) {
            case COUNT -> before.isEmpty() ? "1" : String.valueOf(Long.parseLong(before) + 1);
            case MAX -> Texts.max(before, value);
            case DIGEST, REDUCE -> Texts.digest(before, value);
        };
    }

    private static String merged(Fold fold, String one, String other) {
        return switch (fold) {
            case COUNT -> String.valueOf(number(one) + number(other));
            case MAX -> Texts.max(one, other);
            case DIGEST, REDUCE -> Texts.digest(one, other);
        };
    }

    private static long number(String text) {
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static KTable<Windowed<String>, String> windowed(
            KGroupedStream<String, String> groups,
            Fold fold,
            Window window,
            Duration grace,
            Emission emission,
            String name) {
        Materialized<String, String, WindowStore<Bytes, byte[]>> store = texts(Materialized.as(name));
        EmitStrategy emits =
                emission == Emission.AT_CLOSE ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
        return switch (window) {
            case TUMBLING ->
                groups.windowedBy(TimeWindows.ofSizeAndGrace(SIZE, grace))
                        .emitStrategy(emits)
                        .aggregate(() -> "", (key, value, before) -> next(fold, value, before), store);
            case HOPPING ->
                groups.windowedBy(TimeWindows.ofSizeAndGrace(SIZE, grace).advanceBy(SIZE.dividedBy(2)))
                        .emitStrategy(emits)
                        .aggregate(() -> "", (key, value, before) -> next(fold, value, before), store);
            case SLIDING ->
                groups.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(SIZE, grace))
                        .emitStrategy(emits)
                        .aggregate(() -> "", (key, value, before) -> next(fold, value, before), store);
            case SESSION ->
                groups.windowedBy(SessionWindows.ofInactivityGapAndGrace(SIZE.dividedBy(2), grace))
                        .emitStrategy(emits)
                        .aggregate(
                                () -> "",
                                (key, value, before) -> next(fold, value, before),
                                (key, one, other) -> merged(fold, one, other),
                                texts(Materialized.<String, String, SessionStore<Bytes, byte[]>>as(name)));
            case NONE -> throw new AssertionError(window);
        };
    }

    Strand toTable(Op.ToTable op, Strand strand) {
        if (!strand.has(Trait.BY_KEY)) {
            return strand;
        }
        Strand keyed = strand.withoutNullKeys();
        String name = weaver.name("table");
        if (!op.isVersioned()) {
            weaver.changelogs.add(name);
            weaver.stores.add(name);
        }
        return ofCache(keyed.shuffledIfRekeyed()
                .with(table(keyed, name, op.isVersioned()).toStream()));
    }

    /** The table of a stream with the trait {@code BY_KEY} and without null keys. */
    static KTable<String, String> table(Strand keyed, String name, boolean isVersioned) {
        Materialized<String, String, KeyValueStore<Bytes, byte[]>> store = isVersioned
                ? Materialized.as(Stores.persistentVersionedKeyValueStore(name, Inputs.GRACE))
                : Materialized.as(name);
        return keyed.stream().toTable(Named.as(name), store);
    }

    Strand regroup(Strand strand) {
        if (!strand.has(Trait.BY_KEY)) {
            return strand;
        }
        Strand keyed = strand.withoutNullKeys();
        String name = weaver.name("regrouped");
        KTable<String, String> table = table(keyed, weaver.name("table"), false)
                .groupBy(
                        (key, value) -> KeyValue.pair(Texts.Rekey.FIRST_OF_VALUE.of(key, value), value),
                        Grouped.as(name))
                .aggregate(
                        () -> "0",
                        (key, value, sum) -> String.valueOf(number(sum) + 1 + Texts.bucket(value, 100)),
                        (key, value, sum) -> remaining(number(sum) - 1 - Texts.bucket(value, 100)),
                        Materialized.as(name));
        return keyed.shuffledIfRekeyed().with(table.toStream()).plus(Trait.LAST);
    }

    /**
     * The sum of a group; null for an empty one. With a cache, it depends on the commits whether a
     * group that is empty at the end ever had a value.
     */
    private static @Nullable String remaining(long sum) {
        return sum == 0 ? null : String.valueOf(sum);
    }
}
