package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.drawn.Op.Kind;
import dev.blobshuffle.kstreams.differential.drawn.Strand.Trait;
import java.time.Duration;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.kstream.ValueJoiner;

/** Adds operators with two inputs. An input that does not fit gets its own sink. */
final class Joins {
    private static final Duration WITHIN = Duration.ofSeconds(2);
    private static final ValueJoiner<String, String, String> BOTH = (one, other) -> one + "&" + other;

    private final Weaver weaver;

    Joins(Weaver weaver) {
        this.weaver = weaver;
    }

    private static boolean fits(Strand one, Strand other) {
        return !other.isLast() && !one.has(Trait.BUFFERED) && !other.has(Trait.BUFFERED);
    }

    private Strand apart(Strand left, Strand right) {
        weaver.sink(right);
        return left;
    }

    Strand merge(Strand left, Strand right) {
        if (!fits(left, right) || left.partitions() != right.partitions()) {
            return apart(left, right);
        }
        return left.meeting(right, left.stream().merge(right.stream()));
    }

    /** Kafka Streams 4.3 fails to start some of these topologies with its own protocol. */
    Strand cogroup(Strand left, Strand right) {
        return fits(left, right) && weaver.setup.isClassic() ? weaver.cogroup(left, right) : apart(left, right);
    }

    Strand join(Op.Join join, Strand one, Strand other) {
        if (!fits(one, other)) {
            return apart(one, other);
        }
        Strand left = one.withoutNullKeys();
        Strand right = other.withoutNullKeys();
        if (join.joining() != Op.Joining.FOREIGN_KEY && left.partitions() != right.partitions()) {
            left = weaver.moved(left);
            right = weaver.moved(right);
        }
        return switch (join.joining()) {
            case STREAMS -> streams(join, left, right);
            case STREAM_TABLE -> right.has(Trait.BY_KEY) ? streamTable(join, left, right) : apart(one, other);
            case TABLES ->
                left.has(Trait.BY_KEY) && right.has(Trait.BY_KEY) ? tables(join, left, right) : apart(one, other);
            case FOREIGN_KEY ->
                left.has(Trait.BY_KEY) && right.has(Trait.BY_KEY) ? foreign(join, left, right) : apart(one, other);
        };
    }

    private Strand streams(Op.Join join, Strand left, Strand right) {
        Strand one = left.shuffledIfRekeyed();
        Strand other = right.shuffledIfRekeyed();
        boolean isTimed = weaver.isTimed(one) && weaver.isTimed(other);
        Duration grace = join.isShort() && isTimed ? Duration.ZERO : Inputs.GRACE;
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(WITHIN, grace);
        boolean isNamed = weaver.isNextNamed();
        String name = weaver.name("join");
        StreamJoined<String, String, String> how = isNamed
                ? StreamJoined.<String, String, String>as(name).withName(name)
                : StreamJoined.with(null, null, null);
        KStream<String, String> joined = switch (join.kind()) {
            case INNER -> left.stream().join(right.stream(), BOTH, windows, how);
            case LEFT -> left.stream().leftJoin(right.stream(), BOTH, windows, how);
            case OUTER -> left.stream().outerJoin(right.stream(), BOTH, windows, how);
        };
        Strand result = one.meeting(other, joined);
        if (!result.has(Trait.BY_KEY)) {
            result = result.minus(Trait.TOTAL).plus(Trait.UNORDERED);
        }
        return join.kind() == Kind.INNER || isTimed
                ? result
                : result.minus(Trait.TOTAL, Trait.BY_KEY).plus(Trait.UNORDERED, Trait.HEADERLESS);
    }

    private Strand streamTable(Op.Join join, Strand left, Strand right) {
        KTable<String, String> table = Aggregates.table(right, weaver.name("table"), join.isShort());
        Joined<String, String, String> how = Joined.as(weaver.name("join"));
        KStream<String, String> joined = join.kind() == Kind.INNER
                ? left.stream().join(table, BOTH, how)
                : left.stream().leftJoin(table, BOTH, how);
        return weaver.setup.isCached() && right.has(Trait.LAST)
                ? left.shuffledIfRekeyed().with(joined).plus(Trait.LAST)
                : left.shuffledIfRekeyed().with(joined);
    }

    Strand global(Op.GlobalJoin join, Strand strand) {
        KeyValueMapper<String, String, String> by = (key, value) -> value == null ? "none" : reference(value);
        return strand.with(
                join.isInner()
                        ? strand.stream().join(weaver.global(), by, BOTH)
                        : strand.stream().leftJoin(weaver.global(), by, BOTH));
    }

    private Strand tables(Op.Join join, Strand left, Strand right) {
        KTable<String, String> one = Aggregates.table(left, weaver.name("table"), false);
        KTable<String, String> other = Aggregates.table(right, weaver.name("table"), join.isShort());
        Named name = Named.as(weaver.name("join"));
        KTable<String, String> joined = switch (join.kind()) {
            case INNER -> one.join(other, BOTH, name);
            case LEFT -> one.leftJoin(other, BOTH, name);
            case OUTER -> one.outerJoin(other, BOTH, name);
        };
        Strand result = left.shuffledIfRekeyed().meeting(right.shuffledIfRekeyed(), joined.toStream());
        return weaver.setup.isCached() ? result.plus(Trait.LAST) : result;
    }

    private Strand foreign(Op.Join join, Strand left, Strand right) {
        KTable<String, String> one = Aggregates.table(left, weaver.name("table"), false);
        KTable<String, String> other = Aggregates.table(right, weaver.name("table"), join.isShort());
        TableJoined<String, String> name = TableJoined.as(weaver.name("foreign"));
        KTable<String, String> joined = join.kind() == Kind.INNER
                ? one.join(other, Joins::reference, BOTH, name)
                : one.leftJoin(other, Joins::reference, BOTH, name);
        return left.shuffledIfRekeyed().with(joined.toStream()).plus(Trait.LAST);
    }

    private static String reference(String value) {
        return value.isEmpty() ? "none" : value.substring(0, 1);
    }
}
