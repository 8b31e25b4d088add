package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.NativeKafka;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** 1 GiB/s in three zones of AWS us-east-1, unless said otherwise. */
class KafkaPricesTest {
    private static final double GIB = 1 << 30;
    private static final PriceTable AWS = PriceTables.named("aws");
    private static final Workload LARGE =
            Workload.builder().bytesPerSecond(GIB).instances(24).partitions(216).build();

    @TempDir
    private Path directory;

    /**
     * By hand: a crossing costs 0.02 a GiB and a reader of leaders 2/3 of it, so 48 USD per hour
     * for clients and 144 for two followers. MSK bills no followers. Express adds 0.01 a GiB, 36
     * per hour; Confluent Cloud takes 0.10. Diskless: 300 puts and 600 gets a second.
     */
    @ParameterizedTest
    @CsvSource({
        "self-managed, RACK_AWARE, 192",
        "self-managed, FROM_LEADERS, 240",
        "self-managed, NONE, 192",
        "msk, RACK_AWARE, 48",
        "msk, FROM_LEADERS, 96",
        "msk, NONE, 48",
        "msk-express, RACK_AWARE, 84",
        "confluent-cloud, RACK_AWARE, 360",
        "confluent-cloud, FROM_LEADERS, 360",
        "confluent-cloud, NONE, 180",
        "diskless, RACK_AWARE, 6.264",
        "diskless, NONE, 5.4",
        "warpstream, RACK_AWARE, 42.264"
    })
    void aTopicCostsWhatTheServiceBills(String service, KafkaPrices.Readers readers, double expected) {
        assertThat(KafkaPriceTables.named(service).usdPerHour(GIB, AWS, LARGE, readers))
                .isCloseTo(expected, withinPercentage(0.001));
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "1, 3", "3, 1", "1, 1", "5, 2"})
    void brokersOfYourOwnCostWhatThePaperCounts(int replicas, int zones) {
        Workload workload =
                LARGE.toBuilder().replicationFactor(replicas).zones(zones).build();
        KafkaPrices own = KafkaPriceTables.selfManaged();
        assertThat(own.usdPerHour(GIB, AWS, workload, KafkaPrices.Readers.RACK_AWARE))
                .isCloseTo(NativeKafka.usdPerHour(GIB, AWS, zones, replicas, 0), within(1e-9));
        assertThat(own.breakEvenBytes(AWS, workload).map(Math::round))
                .isEqualTo(AWS.breakEvenBytes(zones, replicas).map(Math::round));
    }

    static List<String> names() {
        return KafkaPriceTables.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyTableSaysWhenAndWhere(String name) {
        KafkaPrices prices = KafkaPriceTables.named(name);
        assertThat(prices.name()).isEqualTo(name);
        assertThat(prices.date()).matches("20\\d\\d-\\d\\d");
        assertThat(prices.source()).hasSizeGreaterThan(20);
    }

    private static String shipped(String name) throws IOException {
        try (InputStream stream = KafkaPriceTables.class.getResourceAsStream("kafka/" + name + ".properties")) {
            return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Plan plan(KafkaPrices kafka, Workload workload) {
        return new Planner(new ShuffleModel(AWS, LatencyProfile.S3_STANDARD).withKafka(kafka))
                .plan(workload, Tuning.builder().build(), new Goal.TargetP95(5));
    }

    @Test
    void aPlanSaysThatBlobsDoNotPayBesideDisklessBrokers() {
        Workload small = LARGE.toBuilder().bytesPerSecond(2 << 20).build();
        Plan plan = plan(KafkaPriceTables.named("diskless"), small);
        assertThat(plan.paysOff()).isFalse();
        assertThat(plan.findings().get(0)).startsWith("BlobShuffle does not pay off with diskless brokers:");
        assertThat(plan.nativeVariants()).hasSize(1);
    }

    @Test
    void notificationsThroughDisklessBrokersTakeTheirTime() {
        Tuning tuning = Tuning.builder().delay(Duration.ofSeconds(1)).build();
        ShuffleModel model = new ShuffleModel(AWS, LatencyProfile.S3_STANDARD);
        double slow = model.withKafka(KafkaPriceTables.named("diskless"))
                .estimate(LARGE, tuning, 2000)
                .latencies()
                .p50();
        double fast = model.estimate(LARGE, tuning, 2000).latencies().p50();
        assertThat(slow - fast).isCloseTo(0.985, withinPercentage(5));
    }

    @Test
    void aPlanNamesTheServiceItsAssumptionsAndChangelogs() {
        Plan plan = plan(
                KafkaPriceTables.named("msk-express"),
                LARGE.toBuilder().changelogBytesPerSecond(GIB).build());
        assertThat(plan.findings())
                .anySatisfy(finding -> assertThat(finding).contains("pays off with Amazon MSK, Express brokers"))
                .anySatisfy(finding -> assertThat(finding).contains("written.usd.per.gb", "--kafka-prices"))
                .anySatisfy(finding -> assertThat(finding).contains("Changelogs of 1.00 GiB/s", "84.00 USD"))
                .anySatisfy(finding -> assertThat(finding).contains("remove repartitions that you do not need"));
        assertThat(plan.changelogUsdPerHour()).isCloseTo(84, withinPercentage(0.001));
        assertThat(plan.nativeVariants()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "written.usd.per.gb=0, written.usd.per.gb=cheap, which is not a number",
        "written.usd.per.gb=0, written.usd.per.gb=-1, written.usd.per.gb is -1.0",
        "client.crossings.billed=1, client.crossings.billed=2, client.crossings.billed is 2.0",
        "written.usd.per.gb=0, wrote.usd.per.gb=0, written.usd.per.gb is missing",
        "written.usd.per.gb=0, 'written.usd.per.gb=0\nmore=1', there is no entry more",
        "notification.seconds=0.015, notification.seconds=NaN, which is not a number",
        "notification.seconds=0.015, notification.seconds=\\u00, Malformed"
    })
    void aStrangeFileHasAClearAnswer(String line, String replacement, String reason) throws IOException {
        Path file = Files.writeString(
                directory.resolve("kafka.properties"), shipped("self-managed").replace(line, replacement));
        assertThatThrownBy(() -> KafkaPriceTables.read(file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void aServiceOfYourOwnReadsBack() throws IOException {
        Path file = Files.writeString(directory.resolve("kafka.properties"), shipped("msk-express"));
        assertThat(KafkaPriceTables.read(file)).isEqualTo(KafkaPriceTables.named("msk-express"));
        assertThatThrownBy(() -> KafkaPriceTables.read(directory.resolve("none")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("Cannot read prices of a Kafka service");
        assertThatThrownBy(() -> KafkaPriceTables.named("acme"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("confluent-cloud");
    }
}
