package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.pricing.LiveCost;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.Tuning;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The runs, compared. Immutable.
 *
 * @param options the user's choices
 * @param text the input
 * @param nativeRun the run through the brokers
 * @param blobRun the run through blobs
 * @param combinedRun the run through blobs that the instances of a zone combine; empty: there is
 *     none
 * @param differences the first differences between their outputs; empty if they are equal
 */
record DemoResult(
        DemoOptions options,
        Text text,
        VariantResult nativeRun,
        VariantResult blobRun,
        Optional<VariantResult> combinedRun,
        List<String> differences) {
    private static final int SHOWN_DIFFERENCES = 10;
    private static final double MEDIAN = 0.5;
    private static final double KILO = 1000;
    private static final double BYTES_PER_KIB = 1024;
    private static final double PERCENT = 100;
    private static final PriceTable AWS = PriceTables.named("aws");

    /**
     * One line of the table.
     *
     * @param name the name of the value
     * @param nativeValue of the native run
     * @param blobValue of the run through blobs
     * @param ratio the second value divided by the first; empty if the ratio has no meaning
     */
    record Row(String name, String nativeValue, String blobValue, String ratio) {}

    static DemoResult of(DemoOptions options, Text text, VariantResult nativeRun, VariantResult blobRun) {
        return new DemoResult(
                options,
                text,
                nativeRun,
                blobRun,
                Optional.empty(),
                Outputs.differences(nativeRun.outputs(), blobRun.outputs(), SHOWN_DIFFERENCES));
    }

    /** The same with a run whose instances combine their blobs. */
    DemoResult and(VariantResult combined) {
        List<String> all = new ArrayList<>(differences);
        all.addAll(Outputs.differences(nativeRun.outputs(), combined.outputs(), SHOWN_DIFFERENCES));
        return new DemoResult(options, text, nativeRun, blobRun, Optional.of(combined), all);
    }

    boolean outputsEqual() {
        return differences.isEmpty();
    }

    /** The table's lines. */
    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row("records shuffled", run -> (double) run.records(), DemoResult::whole));
        rows.add(row(
                "bytes through the brokers for the shuffle",
                run -> (double) run.shuffleBrokerBytes(),
                DemoResult::whole));
        rows.add(row("blobs", run -> (double) run.measured().blobs(), DemoResult::whole));
        rows.add(row("bytes in blobs", run -> (double) run.measured().blobBytes(), DemoResult::whole));
        rows.add(
                row("requests to the store, PUT", run -> (double) run.measured().puts(), DemoResult::whole));
        rows.add(
                row("requests to the store, GET", run -> (double) run.measured().gets(), DemoResult::whole));
        rows.add(row(
                "reads that a cache answered", run -> (double) run.measured().cacheHits(), DemoResult::whole));
        rows.add(row("blobs left after the sweep", run -> (double) run.blobsLeft(), DemoResult::whole));
        rows.add(row("notifications", run -> (double) run.measured().notifications(), DemoResult::whole));
        for (double share : new double[] {0.5, 0.95, 0.99}) {
            rows.add(row(
                    String.format(Locale.ROOT, "shuffle latency p%.0f, ms", share * 100),
                    run -> run.measured().latencies().percentileMillis(share),
                    DemoResult::tenths));
        }
        rows.add(row("at AWS list prices, millionths of a USD", run -> 1e6 * usd(run), DemoResult::whole));
        rows.add(row("CPU seconds, application", run -> run.applicationCpu().toMillis() / 1000.0, DemoResult::tenths));
        rows.add(row("CPU seconds, brokers", run -> run.brokerCpu().toMillis() / 1000.0, DemoResult::tenths));
        rows.add(row("results", run -> (double) run.outputs().count(), DemoResult::whole));
        return rows;
    }

    /**
     * The possible destinations of bytes of blobs, as the columns of the matrix: the store, and
     * each zone.
     */
    List<String> zoneColumns() {
        List<String> columns = new ArrayList<>(List.of("to the store"));
        options.zoneNames().forEach(zone -> columns.add("to " + zone));
        return columns;
    }

    /**
     * Bytes of blobs from one place.
     *
     * @param from the place
     * @param bytes to the places of {@link #zoneColumns()}, in their order; blank if there is no
     *     such flow
     */
    record ZoneRow(String from, List<String> bytes) {}

    /** The lines of the matrix: from each zone, from the store, and the bytes that did not move. */
    List<ZoneRow> zoneRows() {
        DemoMeasurement measured = blobRun.measured();
        List<ZoneRow> rows = new ArrayList<>();
        for (String from : options.zoneNames()) {
            rows.add(zoneRow(
                    "from instances in " + from,
                    measured.bytes(new Flow(from, Flow.STORE)),
                    zone -> measured.bytes(new Flow(from, zone))));
        }
        rows.add(zoneRow("from the store", zone -> measured.bytes(new Flow(Flow.STORE, zone))));
        rows.add(zoneRow(
                "from own caches, with what these served",
                zone -> measured.zones()
                        .getOrDefault(zone, new ZoneTraffic(0, 0))
                        .ownBytes()));
        return rows;
    }

    private ZoneRow zoneRow(String from, long toStore, ToLongFunction<String> toZone) {
        List<String> bytes = new ArrayList<>(zoneRow(from, toZone).bytes());
        bytes.set(0, whole(toStore));
        return new ZoneRow(from, bytes);
    }

    private ZoneRow zoneRow(String from, ToLongFunction<String> toZone) {
        List<String> bytes = new ArrayList<>(List.of(""));
        options.zoneNames().forEach(zone -> bytes.add(whole(toZone.applyAsLong(zone))));
        return new ZoneRow(from, bytes);
    }

    /** The note below the table of zones. */
    String crossZoneNote() {
        return "Bytes of shuffled records that went from zone to zone otherwise than through the store: "
                + whole(blobRun.measured().crossZonePayloadBytes()) + ".";
    }

    private Row row(String name, Function<VariantResult, Double> value, Function<Double, String> format) {
        double left = value.apply(nativeRun);
        double right = value.apply(blobRun);
        String ratio = left == 0 ? "" : String.format(Locale.ROOT, "%.2f x", right / left);
        return new Row(name, format.apply(left), format.apply(right), ratio);
    }

    private static String whole(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }

    private static String tenths(double number) {
        return String.format(Locale.ROOT, "%,.1f", number);
    }

    /**
     * The cost of a run on AWS: its requests to S3, and its brokers' traffic between the demo's
     * zones, with its replicas.
     */
    double usd(VariantResult run) {
        DemoMeasurement measured = run.measured();
        double requests = measured.puts() * AWS.requests().put()
                + measured.gets() * AWS.requests().get();
        return requests
                + LiveCost.nativeUsd(run.shuffleBrokerBytes(), AWS, options.zones(), options.replicationFactor());
    }

    /** The planner's forecast for the load. */
    CostForecast forecast() {
        return CostForecast.of(options, nativeRun, AWS, Tuning.Combining.NONE);
    }

    /** The load from which blobs pay off. */
    String breakEven() {
        CostForecast forecast = forecast();
        return String.format(
                        Locale.ROOT, "The demo shuffled %.0f KB/s per instance. ", forecast.bytesPerSecond() / KILO)
                + forecast.priceRatio()
                        .map(ratio -> String.format(
                                Locale.ROOT,
                                "The planner's model expects %.0f %% of the native price for this load, and ",
                                ratio * PERCENT))
                        .orElse("The planner's model expects no native price in one zone, and ")
                + forecast.breakEvenBytesPerSecond()
                        .map(bytes -> String.format(Locale.ROOT, "break-even at %.0f KB/s per instance.", bytes / KILO))
                        .orElse("no load at which these settings break even.");
    }

    /** The effect of combining, beside the model's expectation; empty without that run. */
    Optional<String> combining() {
        return combinedRun.map(run -> {
            CostForecast model = combinedForecast();
            return String.format(
                            Locale.ROOT,
                            "With combine.enabled=auto: %,d puts instead of %,d, and requests and traffic cost %s of the"
                                    + " native price instead of %s. That is %.2f of the price without combining",
                            run.measured().puts(),
                            blobRun.measured().puts(),
                            share(usd(run), usd(nativeRun)),
                            share(usd(blobRun), usd(nativeRun)),
                            usd(run) / usd(blobRun))
                    + model.priceRatio()
                            .flatMap(combined -> forecast().priceRatio().map(alone -> combined / alone))
                            .map(ratio -> String.format(Locale.ROOT, ", %.2f by the planner's model", ratio))
                            .orElse("")
                    + model.breakEvenBytesPerSecond()
                            .map(bytes -> String.format(
                                    Locale.ROOT, ". It breaks even at %.0f KB/s per instance.", bytes / KILO))
                            .orElse(".");
        });
    }

    /** The planner's forecast for the load with combining. */
    private CostForecast combinedForecast() {
        return CostForecast.of(options, nativeRun, AWS, Tuning.Combining.ZONE);
    }

    /** The whole in two sentences. */
    String verdict() {
        double nativeUsd = usd(nativeRun);
        return (outputsEqual() ? "All results are equal. " : "The results DIFFER. ")
                + String.format(
                        Locale.ROOT,
                        "Through blobs the brokers carried %s of the bytes that the shuffle takes natively, and requests and"
                                + " traffic cost %s of the price; half of the records took %.0f ms or less, natively"
                                + " %.0f ms.",
                        share(blobRun.shuffleBrokerBytes(), nativeRun.shuffleBrokerBytes()),
                        share(usd(blobRun), nativeUsd),
                        blobRun.measured().latencies().percentileMillis(MEDIAN),
                        nativeRun.measured().latencies().percentileMillis(MEDIAN));
    }

    private static String share(double part, double whole) {
        return whole == 0 ? "an unknown share" : String.format(Locale.ROOT, "%.1f %%", 100 * part / whole);
    }

    /** Notes that explain the table. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        notes.add(String.format(
                Locale.ROOT,
                "%s: %,d lines; %d zones with a broker each, topics kept %d times, %d instances, %s.",
                text.name(),
                text.lines().size(),
                options.zones(),
                options.replicationFactor(),
                options.instances(),
                options.guarantee()));
        notes.add("Bytes through the brokers: what was written to the logs of the repartition topics, one copy.");
        notes.add(String.format(
                Locale.ROOT,
                "inline.max.bytes is 0: no batch goes through Kafka for being small; %.1f %% of the shuffled bytes were in blobs.",
                blobShare() * 100));
        notes.add(
                "List prices: requests to S3 Standard and traffic between zones, as counted; what is kept, compute and brokers are not in it. `blobshuffle plan` does that for your load.");
        notes.add(
                "Latency and CPU after a warm-up of a fifth of the lines; CPU as the operating system counts it; every process compiles with C1 only.");
        if (blobRun.measured().blobs() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Why these ratios differ from those of the benchmark: the load is small. A blob has %.0f KiB here and"
                            + " up to 16 MiB under load, so each request and notification carries less. Most of the CPU"
                            + " time is that of young JVMs. docs/benchmarks.md has the ratios under load.",
                    blobRun.measured().blobBytes() / (double) blobRun.measured().blobs() / BYTES_PER_KIB));
        }
        return notes;
    }

    /**
     * Of the bytes that the run through blobs stored for the shuffle, notifications and inlined
     * records included, the share that is in blobs.
     */
    double blobShare() {
        double inBlobs = blobRun.measured().blobBytes();
        double all = inBlobs + blobRun.shuffleBrokerBytes();
        return all == 0 ? 0 : inBlobs / all;
    }

    /** The documented JSON form. */
    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("native", toJson(nativeRun));
        json.put("blobshuffle", toJson(blobRun));
        json.put("model", forecast().toJson());
        combinedRun.ifPresent(run -> {
            json.put("combined", toJson(run));
            json.put("combined_model", combinedForecast().toJson());
        });
        json.put("outputs_equal", outputsEqual());
        return json;
    }

    private Map<String, Object> toJson(VariantResult run) {
        DemoMeasurement measured = run.measured();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("records", run.records());
        json.put("shuffle_broker_bytes", run.shuffleBrokerBytes());
        json.put("blob_bytes", measured.blobBytes());
        json.put("blobs", measured.blobs());
        json.put("notifications", measured.notifications());
        json.put("inlined_records", measured.inlinedRecords());
        json.put("inlined_bytes", measured.inlinedBytes());
        json.put("puts", measured.puts());
        json.put("gets", measured.gets());
        if (run.variant() != DemoVariant.NATIVE) {
            json.put("store_puts", measured.puts());
            json.put("store_gets", measured.gets());
            json.put("cross_zone_payload_bytes", measured.crossZonePayloadBytes());
            json.put("cache_hits", measured.cacheHits());
            json.put("blobs_left_after_sweep", run.blobsLeft());
            json.put("zones", zonesToJson(measured));
            json.put("zone_pairs", pairsToJson(measured));
        }
        json.put("aws_micro_usd", 1e6 * usd(run));
        Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("p50", measured.latencies().percentileMillis(0.5));
        latency.put("p95", measured.latencies().percentileMillis(0.95));
        latency.put("p99", measured.latencies().percentileMillis(0.99));
        json.put("latency_ms", latency);
        Map<String, Object> cpu = new LinkedHashMap<>();
        cpu.put("application", run.applicationCpu().toMillis() / 1000.0);
        cpu.put("brokers", run.brokerCpu().toMillis() / 1000.0);
        json.put("cpu_seconds", cpu);
        return json;
    }

    private static Map<String, Object> zonesToJson(DemoMeasurement measured) {
        Map<String, Object> zones = new LinkedHashMap<>();
        measured.zones().forEach((zone, traffic) -> {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("store_bytes", measured.bytes(new Flow(Flow.STORE, zone)));
            json.put("own_cache_bytes", traffic.ownBytes());
            json.put("zone_cache_bytes", measured.bytes(new Flow(zone, zone)));
            zones.put(zone, json);
        });
        return zones;
    }

    /** Every pair of places between which bytes of blobs may have gone. */
    private List<Map<String, Object>> pairsToJson(DemoMeasurement measured) {
        List<Map<String, Object>> pairs = new ArrayList<>();
        for (String zone : options.zoneNames()) {
            pairs.add(pairToJson(new Flow(zone, Flow.STORE), measured));
            pairs.add(pairToJson(new Flow(Flow.STORE, zone), measured));
            options.zoneNames().forEach(to -> pairs.add(pairToJson(new Flow(zone, to), measured)));
        }
        return pairs;
    }

    private static Map<String, Object> pairToJson(Flow flow, DemoMeasurement measured) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("from", flow.from());
        json.put("to", flow.to());
        json.put("bytes", measured.bytes(flow));
        return json;
    }
}
