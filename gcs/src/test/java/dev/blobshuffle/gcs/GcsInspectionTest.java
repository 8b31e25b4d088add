package dev.blobshuffle.gcs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.storage.BucketInfo;
import com.google.cloud.storage.BucketInfo.LifecycleRule;
import com.google.cloud.storage.BucketInfo.LifecycleRule.LifecycleAction;
import com.google.cloud.storage.BucketInfo.LifecycleRule.LifecycleCondition;
import com.google.cloud.storage.BucketInfo.SoftDeletePolicy;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.StoreFinding;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GcsInspectionTest {
    private static final KeyPrefix PREFIX = new KeyPrefix("team/");

    @Test
    void softDeleteAndVersionsAreWarnings() {
        BucketInfo bucket = BucketInfo.newBuilder("b")
                .setLocation("EUROPE-WEST1")
                .setVersioningEnabled(true)
                .setSoftDeletePolicy(SoftDeletePolicy.newBuilder()
                        .setRetentionDuration(Duration.ofDays(7))
                        .build())
                .build();
        assertThat(GcsInspection.of(bucket, PREFIX).findings())
                .contains(
                        StoreFinding.ok("region", "the bucket is in EUROPE-WEST1"),
                        StoreFinding.keepsDeleted(Duration.ofDays(7)),
                        StoreFinding.keepsVersions(),
                        StoreFinding.neverExpires("team/blobs/"));
    }

    @Test
    void onlyARuleForAllBlobsIsAnExpiry() {
        assertThat(with(List.of("team/blobs/"))).contains(StoreFinding.expiry(Duration.ofDays(4)));
        assertThat(with(List.of("team/blobs/0", "other/"))).contains(StoreFinding.neverExpires("team/blobs/"));
        assertThat(with(List.of("other/", "team/")))
                .contains(StoreFinding.expiry(Duration.ofDays(4)), StoreFinding.expiresMarker("team/blobs/"));
    }

    private static List<StoreFinding> with(List<String> prefixes) {
        LifecycleCondition condition = LifecycleCondition.newBuilder()
                .setAge(4)
                .setMatchesPrefix(prefixes)
                .build();
        BucketInfo bucket = BucketInfo.newBuilder("b")
                .setLifecycleRules(List.of(new LifecycleRule(LifecycleAction.newDeleteAction(), condition)))
                .build();
        return GcsInspection.of(bucket, PREFIX).findings();
    }
}
