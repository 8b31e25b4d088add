package dev.blobshuffle.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.countDistinct;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.hash;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/**
 * A program that a seed draws: up to four steps over tables with columns of all types, nulls, and
 * one key in a part of the rows. Each step has a defined result, whatever order its rows come in:
 * no sum of doubles, and no limit without a total order. Owned by one test.
 */
final class DrawnQuery {
    private static final int MOST_ROWS = 400;

    /** A column of each type; those that can be keys first. */
    private static final List<String> KEYS = List.of(
            "if(id % 11 = 0, null, if(id % 3 = 0, 7, cast(pmod(h, 40) as int))) k",
            "if(id % 13 = 0, null, concat('s', pmod(h, 25))) s",
            "cast(pmod(h, 1000) as decimal(20, 3)) / 8 d",
            "date_add(date'2020-02-27', cast(pmod(h, 9) as int)) dt",
            "timestamp_seconds(pmod(h, 5000) * 1000) ts",
            "if(id % 17 = 0, null, pmod(h, 2) = 0) b",
            "case when id % 19 = 0 then double('NaN') when id % 19 = 1 then -0.0D else pmod(h, 9) / 4.0D end f",
            "cast(pmod(h, 127) as tinyint) t",
            "unhex(hex(pmod(h, 50))) by",
            "if(id % 7 = 0, null, array(pmod(h, 3), null, id % 2)) a",
            "named_struct('x', cast(pmod(h, 6) as smallint), 'y', if(id % 5 = 0, null, string(id % 4))) st");

    private final SparkSession session;
    private final Random random;
    private final StringBuilder steps = new StringBuilder();
    private int names;

    private DrawnQuery(SparkSession session, long seed) {
        this.session = session;
        random = new Random(seed);
    }

    /** The rows of a seed's program, as sorted texts; the first says what the program does. */
    static List<String> result(SparkSession session, long seed) {
        DrawnQuery query = new DrawnQuery(session, seed);
        query.configure();
        Dataset<Row> data = query.table();
        for (int i = 1 + query.random.nextInt(4); i > 0; i--) {
            data = query.step(data);
        }
        List<String> rows = new ArrayList<>();
        for (Row row : data.collectAsList()) {
            rows.add(text(row));
        }
        Collections.sort(rows);
        rows.add(0, "seed " + seed + ":" + query.steps);
        return rows;
    }

    private static String text(Row row) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            values.add(row.get(i) instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(row.get(i)));
        }
        return values.toString();
    }

    private void configure() {
        RuntimeConfig conf = session.conf();
        conf.set("spark.sql.session.timeZone", "UTC");
        conf.set("spark.sql.shuffle.partitions", String.valueOf(1 + random.nextInt(9)));
        conf.set("spark.sql.adaptive.enabled", String.valueOf(random.nextInt(4) > 0));
        conf.set("spark.sql.adaptive.coalescePartitions.enabled", String.valueOf(random.nextBoolean()));
        conf.set("spark.sql.adaptive.localShuffleReader.enabled", String.valueOf(random.nextBoolean()));
        conf.set("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "1.1");
        conf.set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "1k");
        conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", random.nextBoolean() ? "1k" : "64m");
        conf.set("spark.sql.autoBroadcastJoinThreshold", "-1");
        conf.set("spark.sql.adaptive.autoBroadcastJoinThreshold", random.nextBoolean() ? "-1" : "10m");
        conf.set("spark.sql.join.preferSortMergeJoin", String.valueOf(random.nextBoolean()));
    }

    private Dataset<Row> table() {
        int rows = random.nextInt(5) == 0 ? random.nextInt(3) : 1 + random.nextInt(MOST_ROWS);
        int partitions = 1 + random.nextInt(6);
        int salt = random.nextInt();
        note("table of %d rows in %d", rows, partitions);
        List<String> columns = new ArrayList<>(KEYS);
        Collections.shuffle(columns, random);
        columns = columns.subList(0, 2 + random.nextInt(4));
        List<String> selected = new ArrayList<>(columns);
        selected.add("id v");
        return session.range(0, rows, 1, partitions)
                .withColumn("h", hash(col("id"), lit(salt)))
                .selectExpr(selected.toArray(String[]::new));
    }

    private Dataset<Row> step(Dataset<Row> data) {
        return switch (random.nextInt(9)) {
            case 0, 1 -> aggregate(data);
            case 2, 3 -> join(data);
            case 4 -> window(data);
            case 5 -> repartition(data);
            case 6 -> {
                note("distinct");
                yield data.distinct();
            }
            case 7 -> {
                int most = 1 + random.nextInt(50);
                note("first %d", most);
                yield data.orderBy(all(data)).limit(most);
            }
            default -> {
                note("union");
                yield data.union(data.filter(hash(all(data)).mod(3).equalTo(0)));
            }
        };
    }

    private Dataset<Row> aggregate(Dataset<Row> data) {
        List<String> columns = drawn(data, 1 + random.nextInt(2));
        Column[] keys = columns.stream().map(this::column).toArray(Column[]::new);
        String other = drawn(data, 1).get(0);
        int kind = random.nextInt(4);
        note("aggregate %d of %s by %s", kind, other, columns);
        Column numbers = sum(expr("cast(hash(`" + other + "`) as bigint)")).as(name());
        var groups = kind == 0 ? data.rollup(keys) : kind == 1 ? data.cube(keys) : data.groupBy(keys);
        return kind == 2
                ? groups.agg(numbers, countDistinct(column(other)).as(name()))
                : groups.agg(
                        numbers,
                        count(lit(1)).as(name()),
                        min(column(other)).as(name()),
                        max(column(other)).as(name()));
    }

    private Dataset<Row> join(Dataset<Row> data) {
        Dataset<Row> right = random.nextBoolean() ? data : table();
        String key = drawn(data, 1).get(0);
        List<String> same = Arrays.stream(right.schema().fields())
                .filter(field ->
                        field.dataType().equals(data.schema().apply(key).dataType()))
                .map(field -> field.name())
                .toList();
        String other = same.isEmpty() ? right.columns()[0] : same.get(random.nextInt(same.size()));
        List<String> kinds = List.of("inner", "left", "right", "full", "left_semi", "left_anti");
        String kind = kinds.get(random.nextInt(kinds.size()));
        note("%s join by %s and %s", kind, key, other);
        List<String> renamed = new ArrayList<>();
        String rightKey = "";
        for (String column : right.columns()) {
            String name = name();
            renamed.add(name);
            rightKey = column.equals(other) ? name : rightKey;
        }
        // At most three rows of a key on the right, so that joins of joins stay small.
        Dataset<Row> few = right.withColumn(
                        "n",
                        expr("row_number() over (partition by `" + other + "` order by "
                                + String.join(
                                        ", ",
                                        Arrays.stream(right.columns())
                                                .map(c -> "`" + c + "`")
                                                .toList()) + ")"))
                .filter("n <= 3")
                .drop("n")
                .toDF(renamed.toArray(String[]::new));
        boolean isSame = !same.isEmpty();
        Column left = isSame ? column(key) : hash(column(key));
        Column matching = isSame ? col(rightKey) : hash(col(rightKey));
        return data.join(few, left.equalTo(matching), kind);
    }

    private Dataset<Row> window(Dataset<Row> data) {
        String key = drawn(data, 1).get(0);
        note("window by %s", key);
        String order = String.join(
                ", ",
                Arrays.stream(data.columns()).map(column -> "`" + column + "`").toList());
        String over = " over (partition by `" + key + "` order by " + order + ")";
        return data.withColumn(name(), expr("row_number()" + over))
                .withColumn(name(), expr("sum(cast(hash(`" + key + "`) as bigint))" + over))
                .withColumn(name(), expr("lag(`" + key + "`)" + over));
    }

    private Dataset<Row> repartition(Dataset<Row> data) {
        int partitions = 1 + random.nextInt(12);
        String key = drawn(data, 1).get(0);
        int kind = random.nextInt(3);
        note("repartition %d into %d by %s", kind, partitions, key);
        return switch (kind) {
            case 0 -> data.repartition(partitions);
            case 1 -> data.repartition(partitions, column(key));
            default -> data.repartitionByRange(partitions, column(key));
        };
    }

    private List<String> drawn(Dataset<Row> data, int count) {
        List<String> columns = new ArrayList<>(List.of(data.columns()));
        Collections.shuffle(columns, random);
        return columns.subList(0, Math.min(count, columns.size()));
    }

    private Column[] all(Dataset<Row> data) {
        return Arrays.stream(data.columns()).map(this::column).toArray(Column[]::new);
    }

    private Column column(String name) {
        return col("`" + name + "`");
    }

    private String name() {
        return "c" + names++;
    }

    private void note(String step, Object... values) {
        steps.append(' ').append(String.format(Locale.ROOT, step, values)).append(';');
    }
}
