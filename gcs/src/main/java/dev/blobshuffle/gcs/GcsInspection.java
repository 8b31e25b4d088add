package dev.blobshuffle.gcs;

import com.google.cloud.storage.BucketInfo;
import com.google.cloud.storage.BucketInfo.LifecycleRule;
import com.google.cloud.storage.BucketInfo.LifecycleRule.DeleteLifecycleAction;
import com.google.cloud.storage.BucketInfo.LifecycleRule.LifecycleCondition;
import com.google.cloud.storage.BucketInfo.SoftDeletePolicy;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Inspects the settings of a bucket of Google Cloud Storage that affect blobs. Stateless. */
final class GcsInspection {
    private GcsInspection() {}

    static StoreInspection unknown(String reason) {
        return new StoreInspection(
                Optional.empty(),
                List.of(
                        StoreFinding.unknown("region", reason),
                        StoreFinding.unknown("soft delete", reason),
                        StoreFinding.unknown("lifecycle", reason)));
    }

    static StoreInspection of(BucketInfo bucket, KeyPrefix prefix) {
        List<StoreFinding> findings = new ArrayList<>();
        if (bucket.getLocation() != null) {
            findings.add(StoreFinding.ok("region", "the bucket is in " + bucket.getLocation()));
        }
        findings.add(softDelete(bucket.getSoftDeletePolicy()));
        if (Boolean.TRUE.equals(bucket.versioningEnabled())) {
            findings.add(StoreFinding.keepsVersions());
        }
        String blobs = prefix.text() + BlobKey.ROOT;
        findings.add(expiry(bucket, blobs).map(StoreFinding::expiry).orElseGet(() -> StoreFinding.neverExpires(blobs)));
        if (expiry(bucket, prefix.marker()).isPresent()) {
            findings.add(StoreFinding.expiresMarker(blobs));
        }
        return new StoreInspection(Optional.empty(), findings);
    }

    /**
     * Reports soft delete, which is on by default for a week. At the rates of a shuffle it costs
     * more than all requests.
     */
    private static StoreFinding softDelete(SoftDeletePolicy policy) {
        Duration kept =
                policy == null || policy.getRetentionDuration() == null ? Duration.ZERO : policy.getRetentionDuration();
        return kept.isZero()
                ? StoreFinding.ok("soft delete", "deleted blobs are gone")
                : StoreFinding.keepsDeleted(kept);
    }

    /** The shortest age among the rules that delete all keys with a prefix. */
    private static Optional<Duration> expiry(BucketInfo bucket, String start) {
        List<? extends LifecycleRule> rules = bucket.getLifecycleRules();
        return rules == null
                ? Optional.empty()
                : rules.stream()
                        .filter(rule -> rule.getAction() instanceof DeleteLifecycleAction)
                        .map(LifecycleRule::getCondition)
                        .filter(condition -> condition.getAge() != null && covers(condition, start))
                        .map(condition -> Duration.ofDays(condition.getAge()))
                        .min(Duration::compareTo);
    }

    private static boolean covers(LifecycleCondition condition, String start) {
        List<String> prefixes = condition.getMatchesPrefix();
        return prefixes == null || prefixes.isEmpty() || prefixes.stream().anyMatch(start::startsWith);
    }
}
