package dev.blobshuffle.kstreams.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3Error;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.s3sim.WireFault;
import dev.blobshuffle.s3sim.WireFault.Kind;
import dev.blobshuffle.s3sim.WireFaultPlan;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import dev.blobshuffle.testkit.internal.servers.StoreServer;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An exactly-once application counts every record once over each object store. */
class ObjectStoreIT {
    private static EmbeddedKafka kafka;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        System.setProperty("aws.accessKeyId", VersityGateway.ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", VersityGateway.SECRET_KEY);
        kafka = EmbeddedKafka.shared();
    }

    @Test
    void everyRecordCountsOnceInS3AlsoWhenTheServerIsKilled() throws Exception {
        try (VersityGateway server = VersityGateway.start(directory)) {
            server.makeBucket("shuffle");
            String store = "s3://shuffle/it?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
            try (CountingRun run = new CountingRun(kafka, "over-s3", store, directory.resolve("state"))) {
                run.write(500);
                server.kill();
                run.write(500);
                server.restart();
                run.write(500);
                run.drain();
                assertThat(run.counted()).isEqualTo(run.expected());
                assertThat(run.traffic().notifications()).isPositive();
                assertThat(run.traffic().plain()).isZero();
            }
        }
    }

    /** The fast store never comes back. */
    @Test
    void everyRecordCountsOnceWithTwoSpeedsAlsoWhenTheFastServerIsKilled() throws Exception {
        Path place = Files.createDirectory(directory.resolve("fast"));
        try (VersityGateway server = VersityGateway.start(directory);
                VersityGateway fast = VersityGateway.start(place)) {
            server.makeBucket("shuffle");
            fast.makeBucket("copies");
            String store = "two-speed:fast=s3://copies/it?region=us-east-1&path-style=true&endpoint=" + fast.endpoint()
                    + ",durable=s3://shuffle/it?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
            try (CountingRun run = new CountingRun(kafka, "over-two-speeds", store, directory.resolve("state"))) {
                run.write(500);
                run.drain();
                fast.kill();
                run.write(500);
                run.drain();
                assertThat(run.counted()).isEqualTo(run.expected());
                assertThat(run.traffic().notifications()).isPositive();
                assertThat(run.traffic().plain()).isZero();
            }
        }
    }

    @Test
    void everyRecordCountsOnceInGcsAlsoWhenTheServerHangs() throws Exception {
        try (FakeGcsServer server = FakeGcsServer.start(directory)) {
            server.makeBucket("shuffle");
            countOnceAlsoWhenItHangs(server, "over-gcs", "gs://shuffle/it?endpoint=" + server.endpoint());
        }
    }

    @Test
    void everyRecordCountsOnceInAzureAlsoWhenTheServerHangs() throws Exception {
        try (Azurite server = Azurite.start(directory)) {
            server.makeContainer("shuffle");
            countOnceAlsoWhenItHangs(
                    server, "over-azure", "az://devstoreaccount1/shuffle/it?endpoint=" + server.endpoint());
        }
    }

    /** For servers that would lose data when killed. */
    private void countOnceAlsoWhenItHangs(StoreServer server, String name, String store) throws Exception {
        try (CountingRun run = new CountingRun(kafka, name, store, directory.resolve("state"))) {
            run.write(500);
            run.drain();
            server.pause();
            run.write(500);
            server.resume();
            run.write(500);
            run.drain();
            assertThat(run.counted()).isEqualTo(run.expected());
            assertThat(run.traffic().notifications()).isPositive();
            assertThat(run.traffic().plain()).isZero();
        }
    }

    /** One of ten requests fails, in each way in which networks and services fail. */
    @Test
    void everyRecordCountsOnceWhileTheWireAndTheServiceFail() throws Exception {
        List<WireFault> faults = List.of(
                WireFault.error(S3Error.SLOW_DOWN),
                WireFault.error(S3Error.INTERNAL_ERROR),
                WireFault.error(S3Error.EXPIRED_TOKEN),
                WireFault.errorAfter(S3Error.INTERNAL_ERROR),
                WireFault.of(Kind.RESET),
                WireFault.of(Kind.RESET_AFTER),
                WireFault.of(Kind.RESET_MIDWAY),
                WireFault.of(Kind.TRUNCATE),
                WireFault.of(Kind.FLIP),
                WireFault.stall(Kind.STALL, Duration.ofSeconds(1)),
                WireFault.stall(Kind.STALL_AFTER, Duration.ofSeconds(1)));
        try (S3Sim sim = S3Sim.builder().bucket("shuffle").start()) {
            String store = "s3://shuffle/it?region=us-east-1&path-style=true&endpoint=" + sim.endpoint();
            try (CountingRun run = new CountingRun(kafka, "over-faults", store, directory.resolve("state"))) {
                sim.follow(WireFaultPlan.random(42, 100, faults));
                for (int portion = 0; portion < 5 || !hasFailed(sim); portion++) {
                    run.write(100);
                    run.drain();
                }
                assertThat(run.counted()).isEqualTo(run.expected());
                assertThat(run.traffic().plain()).isZero();
            }
        }
    }

    private static boolean hasFailed(S3Sim sim) {
        return sim.counts().failed(Operation.PUT_OBJECT) > 0 && sim.counts().failed(Operation.GET_OBJECT) > 0;
    }
}
