package dev.blobshuffle.cli.plan;

import dev.blobshuffle.planner.Cost;
import dev.blobshuffle.planner.Estimate;
import dev.blobshuffle.planner.FloorPrice;
import dev.blobshuffle.planner.Latencies;
import dev.blobshuffle.planner.Plan;
import dev.blobshuffle.planner.Traffic;
import dev.blobshuffle.planner.Workload;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plan as JSON, in the form that {@code docs/guides/planner.md} documents. Stateless. */
final class PlanJson {
    private static final double GIBIBYTE = 1 << 30;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final MathContext DIGITS = new MathContext(6);

    private PlanJson() {}

    static Map<String, Object> of(Plan plan) {
        Estimate recommended = plan.recommended();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("workload", workload(plan.workload()));
        json.put("native", nativeCosts(plan));
        json.put("blobshuffle", costs(plan));
        json.put("changelogs_usd_per_hour", number(plan.changelogUsdPerHour()));
        json.put("latency_seconds", latencies(recommended.latencies()));
        json.put("recommended", recommended(plan));
        json.put("pays_off", plan.paysOff());
        json.put("meets_goal", plan.meetsGoal());
        json.put(
                "break_even_bytes_per_second",
                number(plan.breakEvenBytesPerSecond().orElse(null)));
        json.put("findings", plan.findings());
        json.put("frontier", plan.frontier().stream().map(PlanJson::point).toList());
        List<Object> alternatives = new ArrayList<>();
        for (Plan.Alternative alternative : plan.alternatives()) {
            Map<String, Object> point = new LinkedHashMap<>();
            point.put("name", alternative.name());
            point.putAll(point(alternative.estimate()));
            alternatives.add(point);
        }
        json.put("alternatives", alternatives);
        json.put("assumptions", assumptions(plan));
        return json;
    }

    private static Map<String, Object> workload(Workload workload) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bytes_per_second", Math.round(workload.bytesPerSecond()));
        json.put("record_bytes", number(workload.recordBytes()));
        json.put("instances", workload.instances());
        json.put("threads", workload.threads());
        json.put("zones", workload.zones());
        json.put("partitions", workload.partitions());
        json.put("guarantee", workload.guarantee().name().toLowerCase(Locale.ROOT));
        json.put("commit_interval_ms", workload.commitInterval().toMillis());
        json.put("compressed_share", number(workload.compression()));
        json.put("replication_factor", workload.replicationFactor());
        json.put("changelog_bytes_per_second", Math.round(workload.changelogBytesPerSecond()));
        return json;
    }

    private static Map<String, Object> nativeCosts(Plan plan) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("usd_per_hour", number(plan.nativeUsdPerHour()));
        json.put("usd_per_gib", number(plan.nativeUsdPerHour() / gibPerHour(plan)));
        Map<String, Object> variants = new LinkedHashMap<>();
        plan.nativeVariants().forEach(variant -> variants.put(variant.name(), number(variant.usdPerHour())));
        json.put("variants_usd_per_hour", variants);
        return json;
    }

    private static double gibPerHour(Plan plan) {
        return plan.workload().bytesPerSecond() * SECONDS_PER_HOUR / GIBIBYTE;
    }

    private static Map<String, Object> costs(Plan plan) {
        Cost cost = plan.recommended().cost();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("usd_per_hour", number(cost.total()));
        json.put("usd_per_gib", number(cost.total() / gibPerHour(plan)));
        json.put("storage_usd_per_hour", number(cost.store()));
        json.put("compute_usd_per_hour", number(cost.compute()));
        json.put("kafka_usd_per_hour", number(cost.kafka()));
        Map<String, Object> components = new LinkedHashMap<>();
        components.put("puts", number(cost.puts()));
        components.put("gets", number(cost.gets()));
        components.put("stored_bytes", number(cost.stored()));
        components.put("transferred_bytes", number(cost.transferred()));
        components.put("notifications", number(cost.notifications()));
        components.put("inlined_records", number(cost.inlined()));
        components.put("compute", number(cost.compute()));
        json.put("components_usd_per_hour", components);
        Traffic traffic = plan.recommended().traffic();
        Map<String, Object> rates = new LinkedHashMap<>();
        rates.put("puts", number(traffic.puts()));
        rates.put("gets", number(traffic.gets()));
        rates.put("notifications", number(traffic.notifications()));
        rates.put("stored_bytes", Math.round(traffic.storedBytes()));
        rates.put("fetched_bytes", Math.round(traffic.fetchedBytes()));
        rates.put("inlined_bytes", Math.round(traffic.inlinedBytes()));
        json.put("per_second", rates);
        json.put("retention_floor", floor(plan.floor()));
        return json;
    }

    private static Map<String, Object> floor(FloorPrice floor) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("floor_seconds", floor.floor().toSeconds());
        json.put("stored_bytes", Math.round(floor.keptBytes()));
        json.put("storage_usd_per_hour", number(floor.usdPerHour()));
        return json;
    }

    private static Map<String, Object> latencies(Latencies latencies) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("p50", number(latencies.p50()));
        json.put("p95", number(latencies.p95()));
        json.put("p99", number(latencies.p99()));
        Map<String, Object> mean = new LinkedHashMap<>();
        mean.put("fill", number(latencies.fill()));
        mean.put("store", number(latencies.store()));
        mean.put("commit", number(latencies.commit()));
        mean.put("read", number(latencies.read()));
        json.put("mean_parts", mean);
        return json;
    }

    private static Map<String, Object> recommended(Plan plan) {
        Estimate estimate = plan.recommended();
        Map<String, Object> json = new LinkedHashMap<>();
        Map<String, Object> settings = new LinkedHashMap<>();
        Map<String, Object> reasons = new LinkedHashMap<>();
        for (Plan.RecommendedSetting setting : plan.settings()) {
            settings.put(setting.name(), setting.value());
            reasons.put(setting.name(), setting.reason());
        }
        json.put("settings", settings);
        json.put("reasons", reasons);
        json.put("artifacts", plan.artifacts());
        json.put("blob_bytes", Math.round(estimate.blobBytes()));
        json.put("parts_per_blob", number(estimate.partsPerBlob()));
        json.put("fill_seconds", number(estimate.fillSeconds()));
        json.put("commit_wait_seconds", number(estimate.commitWait()));
        json.put("processing_share", number(estimate.processingShare()));
        return json;
    }

    private static Map<String, Object> point(Estimate estimate) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("batch_max_bytes", Math.round(estimate.tuning().blobBytes()));
        json.put("batch_max_delay_ms", estimate.tuning().delay().toMillis());
        json.put("usd_per_hour", number(estimate.cost().total()));
        json.put("storage_usd_per_hour", number(estimate.cost().store()));
        json.put("p50_seconds", number(estimate.latencies().p50()));
        json.put("p95_seconds", number(estimate.latencies().p95()));
        json.put("p99_seconds", number(estimate.latencies().p99()));
        return json;
    }

    private static Map<String, Object> assumptions(Plan plan) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("prices", plan.prices().name());
        json.put("prices_date", plan.prices().date());
        json.put("prices_source", plan.prices().source());
        json.put("kafka_prices", plan.kafka().name());
        json.put("kafka_prices_date", plan.kafka().date());
        json.put("kafka_prices_source", plan.kafka().source());
        json.put("kafka_prices_assumed", plan.kafka().assumed());
        json.put("latency_profile", plan.profile().name());
        json.put("cache", plan.recommended().tuning().cache().name().toLowerCase(Locale.ROOT));
        json.put("retention_seconds", plan.recommended().tuning().retention().toSeconds());
        json.put("cpu_seconds_per_gib", number(plan.recommended().tuning().cpuSecondsPerGib()));
        return json;
    }

    /** Rounds to six significant digits; null for missing or non-finite values. */
    private static @Nullable Object number(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return null;
        }
        BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
