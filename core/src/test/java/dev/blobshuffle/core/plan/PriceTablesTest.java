package dev.blobshuffle.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PriceTablesTest {
    private static final String FILE = """
            name=mine
            title=My store
            date=2026-01
            source=a contract
            scheme=s3
            gigabyte.bytes=1000000000
            month.hours=720
            put.usd.per.1000.requests=0.004
            get.usd.per.1000.requests=0.0003
            list.usd.per.1000.requests=0.004
            storage.usd.per.gb.month=0.02
            upload.usd.per.gb=0
            download.usd.per.gb=0
            zone.crossing.usd.per.gb=0.02
            vcpu.usd.per.hour=0.05
            latency.profile=s3-standard
            """;

    @TempDir
    private Path directory;

    private PriceTable read(String text) throws IOException {
        return PriceTables.read(Files.writeString(directory.resolve("prices.properties"), text));
    }

    @Test
    void everyShippedTableSaysWhereItsPricesAreFromAndNamesAProfile() {
        assertThat(PriceTables.names()).hasSizeGreaterThanOrEqualTo(6);
        for (String name : PriceTables.names()) {
            PriceTable table = PriceTables.named(name);
            assertThat(table.name()).isEqualTo(name);
            assertThat(table.date()).matches("20\\d\\d-\\d\\d");
            assertThat(table.source()).isNotBlank();
            assertThat(LatencyProfile.all().stream().map(LatencyProfile::name)).contains(table.profile());
        }
    }

    @Test
    void theBeginningOfANameIsEnough() {
        assertThat(PriceTables.named("aws").name()).isEqualTo("aws-us-east-1");
        assertThat(PriceTables.named("azure").name()).isEqualTo("azure-eastus");
    }

    @Test
    void aTableOfOnesOwnIsRead() throws IOException {
        PriceTable table = read(FILE);
        assertThat(table.requests().put()).isEqualTo(4e-6);
        assertThat(table.traffic().gigabyteBytes()).isEqualTo(1e9);
        assertThat(table.monthHours()).isEqualTo(720);
    }

    @Test
    void mistakesAreNamed() {
        assertThatThrownBy(() -> PriceTables.named("acme"))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("'acme'")
                .hasMessageContaining("gcp-us-east1");
        assertThatThrownBy(() -> read(FILE.replace("0.0003", "cheap")))
                .hasMessageContaining("get.usd.per.1000.requests is 'cheap'");
        assertThatThrownBy(() -> read(FILE.replace("0.0003", "-1"))).hasMessageContaining("Give a price of 0 or more");
        assertThatThrownBy(() -> read(FILE.replace("gigabyte.bytes=1000000000", "")))
                .hasMessageContaining("entry gigabyte.bytes is missing");
        assertThatThrownBy(() -> read(FILE + "delete.usd=1")).hasMessageContaining("there is no entry delete.usd");
        assertThatThrownBy(() -> PriceTables.read(directory.resolve("none")))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageStartingWith("Cannot read prices from");
    }

    @Test
    void noSizePaysWhereTrafficIsFree() {
        assertThat(PriceTables.named("azure").breakEvenBytes(3, 3)).isEmpty();
        assertThat(PriceTables.named("self-hosted").breakEvenBytes(3, 3)).isEmpty();
        assertThat(PriceTables.named("aws").breakEvenBytes(1, 1)).isEmpty();
    }

    @Test
    void storesOfKnownSchemesHavePricesAndDirectoriesHaveNone() {
        assertThat(PriceTables.ofScheme("s3").orElseThrow().name()).isEqualTo("aws-us-east-1");
        assertThat(PriceTables.ofScheme("gs")).isPresent();
        assertThat(PriceTables.ofScheme("az")).isPresent();
        assertThat(PriceTables.ofScheme("file")).isEmpty();
        assertThat(PriceTables.ofScheme("memory")).isEmpty();
    }
}
