package dev.blobshuffle.cli.status;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A status as JSON, as {@code docs/operations.md} documents it. Stateless. */
final class StatusJson {
    private StatusJson() {}

    static Map<String, @Nullable Object> of(Status status, int zones) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("application_id", status.application());
        json.put("time_ms", status.atMillis());
        json.put(
                "partitions",
                status.lags().stream().map(lag -> lag(status, lag)).toList());
        json.put(
                "members",
                status.members()
                        .map(members -> members.stream()
                                .map(member -> member(status, member))
                                .toList())
                        .orElse(null));
        json.put("store", status.store().map(store -> store(store, zones)).orElse(null));
        json.put("notes", status.notes());
        return json;
    }

    private static Map<String, @Nullable Object> lag(Status status, PartitionLag lag) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", lag.partition().topic());
        json.put("partition", lag.partition().partition());
        json.put("committed", lag.committed().orElse(null));
        json.put("end", lag.end());
        json.put("held", lag.held());
        json.put("lag_records", lag.records());
        json.put("lag_notifications", lag.notifications());
        json.put("lag_bytes", lag.bytes());
        json.put("behind_ms", lag.behindMillis(status.atMillis()));
        json.put("cut", lag.isCut());
        json.put("zones", zonesOf(status, lag));
        return json;
    }

    /** The zones of the members that read a partition. */
    static List<String> zonesOf(Status status, PartitionLag lag) {
        Partition partition =
                new Partition(lag.partition().topic(), lag.partition().partition());
        return status.members().stream()
                .flatMap(List::stream)
                .filter(member ->
                        !member.isSilent(status.atMillis()) && member.reads().contains(partition))
                .map(member -> member.zone().name())
                .distinct()
                .toList();
    }

    private static Map<String, @Nullable Object> member(Status status, MembershipScan.Seen member) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", "%016x".formatted(member.id()));
        json.put("zone", member.zone().name());
        json.put("endpoint", member.endpoint().map(Object::toString).orElse(null));
        json.put("heard_ms_ago", Math.max(0, status.atMillis() - member.heardMillis()));
        json.put("silent", member.isSilent(status.atMillis()));
        json.put("combining", member.combining().orElse(null));
        List<Object> reads = new ArrayList<>();
        member.reads().forEach((topic, first, last) -> reads.add(Map.of("topic", topic, "first", first, "last", last)));
        json.put("reads", reads);
        return json;
    }

    private static Map<String, @Nullable Object> store(StoreState store, int zones) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("location", store.location());
        json.put("blobs", store.blobs());
        json.put("bytes_estimated", store.bytes());
        json.put("cut", store.isCut());
        json.put("oldest_ms", store.oldestMillis().orElse(null));
        json.put("blobs_per_hour", store.blobsPerHour());
        json.put("counted_minutes", store.recentMinutes());
        json.put("prices", store.prices().map(prices -> prices.name()).orElse(null));
        store.cost(zones).ifPresent(cost -> {
            Map<String, @Nullable Object> dollars = new LinkedHashMap<>();
            dollars.put("puts", cost.puts());
            dollars.put("gets", cost.gets());
            dollars.put("stored_bytes", cost.stored());
            dollars.put("total", cost.total());
            json.put("usd_per_hour_estimated", dollars);
        });
        return json;
    }
}
