package dev.blobshuffle.cli.plan;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.spark.ShuffleCost;
import dev.blobshuffle.planner.spark.SparkCost;
import dev.blobshuffle.planner.spark.SparkShuffle;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Prints costs of a shuffle of Spark, as Markdown for people and as values for JSON. Stateless. */
final class SparkCostTable {
    private static final double GIGABYTE = 1e9;

    private SparkCostTable() {}

    /** The costs and what they mean. */
    static String comparison(SparkShuffle shuffle, SparkCost cost, PriceTable prices) {
        StringBuilder text = new StringBuilder();
        text.append("| one shuffle, modelled | PUT | GET | between zones | requests, USD | zones, USD | total, USD |"
                + " maps again per lost executor |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
        row(text, "Spark's own", cost.ofSpark());
        row(text, "an object for each map (IBM's plug-in)", cost.objectPerMap());
        row(text, "BlobShuffle, `write-behind`", cost.writeBehind());
        row(text, "BlobShuffle, `write-behind`, caches of zones on disk", cost.writeBehindCached());
        row(text, "BlobShuffle, `sync`", cost.sync());
        row(text, "BlobShuffle, `sync`, caches of zones on disk", cost.syncCached());
        text.append('\n')
                .append(String.format(
                        Locale.ROOT,
                        "With `write-behind`, each lost executor adds %,.0f GETs, %s USD. If it is lost before the"
                                + " upload, its %,d maps run again.\n",
                        cost.getsAfterLoss(),
                        dollars(cost.getsAfterLoss() * prices.requests().get()),
                        cost.ofSpark().mapsAgain()))
                .append(
                        shuffle.cluster().zones() == 1
                                ? "A shuffle that Spark removes within 30 seconds causes no request.\n"
                                : "A shuffle that Spark removes within a second causes no request.\n")
                .append("Prices: ")
                .append(prices.title())
                .append(", ")
                .append(prices.date())
                .append(". Storage and processors are not included.\n");
        return text.toString();
    }

    private static void row(StringBuilder text, String name, ShuffleCost cost) {
        text.append(String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.0f GB | %s | %s | %s | %,d |\n",
                name,
                cost.puts(),
                cost.gets(),
                cost.crossingBytes() / GIGABYTE,
                dollars(cost.requestUsd()),
                dollars(cost.crossingUsd()),
                dollars(cost.total()),
                cost.mapsAgain()));
    }

    private static String dollars(double usd) {
        return String.format(Locale.ROOT, usd > 0 && usd < 0.995 ? "%.3f" : "%,.2f", usd);
    }

    static Map<String, Object> json(SparkShuffle shuffle, SparkCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("maps", shuffle.maps());
        json.put("reducers", shuffle.reducers());
        json.put("bytes", shuffle.bytes());
        json.put("executors", shuffle.cluster().executors());
        json.put("cores", shuffle.cluster().cores());
        json.put("zones", shuffle.cluster().zones());
        json.put("native", json(cost.ofSpark()));
        json.put("object_per_map", json(cost.objectPerMap()));
        json.put("write_behind", json(cost.writeBehind()));
        json.put("sync", json(cost.sync()));
        json.put("write_behind_zone_caches", json(cost.writeBehindCached()));
        json.put("sync_zone_caches", json(cost.syncCached()));
        json.put("write_behind_gets_per_lost_executor", cost.getsAfterLoss());
        return json;
    }

    private static Map<String, Object> json(ShuffleCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("puts", cost.puts());
        json.put("gets", cost.gets());
        json.put("crossing_bytes", cost.crossingBytes());
        json.put("requests_usd", cost.requestUsd());
        json.put("crossing_usd", cost.crossingUsd());
        json.put("total_usd", cost.total());
        json.put("maps_again_per_lost_executor", cost.mapsAgain());
        return json;
    }
}
