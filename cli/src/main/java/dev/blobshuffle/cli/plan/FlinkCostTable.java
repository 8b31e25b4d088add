package dev.blobshuffle.cli.plan;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.flink.FlinkCost;
import dev.blobshuffle.planner.flink.FlinkShuffle;
import dev.blobshuffle.planner.flink.HourlyCost;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** Prints costs of a keyBy of Flink, as Markdown for people and as values for JSON. Stateless. */
final class FlinkCostTable {
    private static final double GIGABYTE = 1e9;
    private static final double KIBIBYTE = 1024;

    private FlinkCostTable() {}

    /** The costs and what they mean. */
    static String comparison(FlinkShuffle shuffle, FlinkCost cost, PriceTable prices) {
        StringBuilder text = new StringBuilder();
        text.append("| one hour, modelled | PUT | GET | between zones | zones, USD | requests, USD | storage, USD |"
                + " more processors, USD | total, USD |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        row(text, "Flink's own", cost.ofFlink());
        row(text, "BlobShuffle", cost.throughBlobs());
        return text.append('\n')
                .append(verdict(shuffle, cost))
                .append("Prices: ")
                .append(prices.title())
                .append(", ")
                .append(prices.date())
                .append(". Processors of the job itself are not included.\n")
                .toString();
    }

    private static void row(StringBuilder text, String name, HourlyCost cost) {
        text.append(String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.1f GB | %s | %s | %s | %s | %s |\n",
                name,
                cost.puts(),
                cost.gets(),
                cost.crossingBytes() / GIGABYTE,
                dollars(cost.crossingUsd()),
                dollars(cost.requestUsd()),
                dollars(cost.storageUsd()),
                dollars(cost.cpuUsd()),
                dollars(cost.total())));
    }

    private static String verdict(FlinkShuffle shuffle, FlinkCost cost) {
        double saved = cost.ofFlink().total() - cost.throughBlobs().total();
        return switch (cost.verdict()) {
            case PAYS -> "Blobs save " + dollars(saved) + " USD per hour.\n";
            case ONE_ZONE -> "Do not use blobs: all TaskManagers are in one zone, so no traffic crosses zones.\n";
            case CROSSINGS_ARE_FREE -> "Do not use blobs: the provider does not charge for traffic between zones.\n";
            case BYTES_COST_MORE ->
                "Do not use blobs: a byte through the store costs more than a byte to another zone, whatever the"
                        + " size of blobs.\n";
            case SMALL_BLOBS -> smallBlobs(shuffle, cost);
        };
    }

    private static String smallBlobs(FlinkShuffle shuffle, FlinkCost cost) {
        OptionalDouble needed = cost.breakEvenBlobBytes();
        return String.format(
                Locale.ROOT,
                "Do not use blobs: they have %,.0f KiB and pay from %,.0f KiB. A longer delay, fewer TaskManagers or"
                        + " fewer key groups would help.\n",
                shuffle.blobBytes() / KIBIBYTE,
                needed.orElse(0) / KIBIBYTE);
    }

    private static String dollars(double usd) {
        return String.format(Locale.ROOT, usd > 0 && usd < 0.995 ? "%.3f" : "%,.2f", usd);
    }

    static Map<String, Object> json(FlinkShuffle shuffle, FlinkCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bytes_per_second", shuffle.bytesPerSecond());
        json.put("zones", shuffle.cluster().zones());
        json.put("task_managers", shuffle.cluster().taskManagers());
        json.put("parallelism", shuffle.cluster().parallelism());
        json.put("max_parallelism", shuffle.cluster().maxParallelism());
        json.put("blob_bytes", shuffle.blobBytes());
        json.put("native", json(cost.ofFlink()));
        json.put("blobs", json(cost.throughBlobs()));
        json.put("verdict", cost.verdict().name().toLowerCase(Locale.ROOT));
        cost.breakEvenBlobBytes().ifPresent(bytes -> json.put("break_even_blob_bytes", bytes));
        return json;
    }

    private static Map<String, Object> json(HourlyCost cost) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("puts", cost.puts());
        json.put("gets", cost.gets());
        json.put("crossing_bytes", cost.crossingBytes());
        json.put("crossing_usd", cost.crossingUsd());
        json.put("requests_usd", cost.requestUsd());
        json.put("storage_usd", cost.storageUsd());
        json.put("cpu_usd", cost.cpuUsd());
        json.put("total_usd", cost.total());
        return json;
    }
}
