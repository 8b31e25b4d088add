package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreFinding.Level;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.LifecycleRule;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFaultPlan;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class S3InspectionTest {
    private final SystemTime time = new SystemTime();
    private final S3Sim sim =
            S3Sim.builder().bucket("blobs").region("us-east-1").start();

    @BeforeEach
    void useCredentials() {
        TestCredentials.use();
    }

    @AfterEach
    void end() {
        sim.close();
        time.close();
    }

    @Test
    void aBucketThatIsSetUpWellHasNothingToMend() {
        sim.lifecycle("blobs", List.of(new LifecycleRule("team/blobs/", 7)));
        assertThat(inspect().findings())
                .extracting(StoreFinding::level, StoreFinding::subject)
                .containsExactly(
                        tuple(Level.OK, "region"),
                        tuple(Level.OK, "lifecycle"),
                        tuple(Level.OK, "versioning"),
                        tuple(Level.OK, "conditional put"),
                        tuple(Level.OK, "conditional replace"));
        assertThat(sim.keys("blobs")).as("no probe is left").containsExactly("team/blobshuffle-store");
    }

    @Test
    void rulesCountThatCoverAllBlobs() {
        sim.lifecycle("blobs", List.of(new LifecycleRule("team/blobs/0", 1), new LifecycleRule("other/", 1)));
        assertThat(lifecycle().what()).contains("no rule");
        assertThat(lifecycle().remedy().orElseThrow()).contains("'team/blobs/'");
        sim.lifecycle("blobs", List.of(new LifecycleRule("team/b", 30), new LifecycleRule("team/blobs/", 1)));
        assertThat(lifecycle().level()).isEqualTo(Level.WARNING);
        assertThat(lifecycle().what()).contains("after 1 day");
    }

    @Test
    void noRulesAndVersionsCostMoney() {
        sim.startVersioning("blobs");
        assertThat(inspect().findings())
                .filteredOn(finding -> finding.level() == Level.WARNING)
                .extracting(StoreFinding::subject)
                .containsExactly("lifecycle", "versioning");
    }

    @Test
    void aClockThatIsOffIsMeasured() {
        sim.skew(Duration.ofMinutes(10));
        assertThat(inspect().clockAhead().orElseThrow()).isBetween(Duration.ofSeconds(500), Duration.ofSeconds(700));
    }

    @Test
    void whatMayNotBeAskedIsUnknown() {
        BlobStore store = open();
        sim.follow(WireFaultPlan.on(
                Set.of(Operation.HEAD_BUCKET, Operation.GET_BUCKET_LIFECYCLE, Operation.GET_BUCKET_VERSIONING),
                WireFault.error(S3Error.ACCESS_DENIED)));
        try (store) {
            StoreInspection inspection = store.inspect().orElseThrow();
            assertThat(inspection.clockAhead()).isEmpty();
            assertThat(inspection.findings())
                    .filteredOn(finding -> finding.what().contains("unknown"))
                    .extracting(StoreFinding::subject)
                    .containsExactly("region", "lifecycle", "versioning");
            assertThat(inspection.findings())
                    .extracting(StoreFinding::what)
                    .contains(
                            "unknown: the credentials lack the right s3:GetLifecycleConfiguration",
                            "unknown: the credentials lack the right s3:GetBucketVersioning");
        }
    }

    private StoreFinding lifecycle() {
        return inspect().findings().stream()
                .filter(finding -> finding.subject().equals("lifecycle"))
                .findFirst()
                .orElseThrow();
    }

    private StoreInspection inspect() {
        try (BlobStore store = open()) {
            return store.inspect().orElseThrow();
        }
    }

    private BlobStore open() {
        return S3BlobStores.builder("blobs")
                .prefix("team/")
                .endpoint(sim.endpoint())
                .pathStyle()
                .open(StoreContext.unmetered(time));
    }
}
