package dev.blobshuffle.core.internal.pricing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.store.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void everyShippedTableSaysWhereItsPricesAreFrom() {
        assertThat(PriceTables.names()).hasSizeGreaterThanOrEqualTo(6);
        for (String name : PriceTables.names()) {
            PriceTable table = PriceTables.named(name);
            assertThat(table.name()).isEqualTo(name);
            assertThat(table.date()).matches("20\\d\\d-\\d\\d");
            assertThat(table.source()).isNotBlank();
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
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'acme'")
                .hasMessageContaining("gcp-us-east1");
        assertThatThrownBy(() -> read(FILE.replace("0.0003", "cheap")))
                .hasMessageContaining("get.usd.per.1000.requests is 'cheap'");
        assertThatThrownBy(() -> read(FILE.replace("0.0003", "-1"))).hasMessageContaining("Give a price of 0 or more");
        assertThatThrownBy(() -> read(FILE.replace("gigabyte.bytes=1000000000", "")))
                .hasMessageContaining("entry gigabyte.bytes is missing");
        assertThatThrownBy(() -> read(FILE + "delete.usd=1")).hasMessageContaining("there is no entry delete.usd");
        assertThatThrownBy(() -> PriceTables.read(directory.resolve("none")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("Cannot read prices from");
    }

    @Test
    void noSizePaysWhereTrafficIsFree() {
        assertThat(PriceTables.named("azure").breakEvenBytes(3, 3)).isEmpty();
        assertThat(PriceTables.named("self-hosted").breakEvenBytes(3, 3)).isEmpty();
        assertThat(PriceTables.named("aws").breakEvenBytes(1, 1)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "s3://bucket/prefix?region=eu-central-1, aws-us-east-1",
        "s3://bucket--use1-az4--x-s3, aws-s3-express-us-east-1",
        "s3://bucket?endpoint=https://s3.eu-central-1.amazonaws.com, aws-us-east-1",
        "s3://bucket?endpoint=https://account.r2.cloudflarestorage.com, r2-from-aws",
        "s3://bucket?endpoint=http://minio:9000, ",
        "s3://bucket?endpoint=https://notamazonaws.com, ",
        "s3://bucket?endpoint=%20, ",
        "gs://bucket, gcp-us-east1",
        "gs://bucket?endpoint=http://127.0.0.1:4443, ",
        "az://account/container, azure-eastus",
        "az://account/container?endpoint=http://127.0.0.1:10000/account, ",
        "file:///blobs, ",
        "memory://blobs, "
    })
    void theStoresProviderIsPricedAndNobodyElse(String store, @Nullable String expected) {
        assertThat(PriceTables.of(StoreUri.parse(store)).map(PriceTable::name))
                .isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void settingsMayNamePricesOrAFile() throws IOException {
        Path file = Files.writeString(directory.resolve("mine.properties"), FILE);
        String store = "s3://bucket?endpoint=http://minio:9000";
        assertThat(PriceTables.of(EngineSettings.parse(
                        Map.of("blobshuffle.store", store, "blobshuffle.store.prices", "aws-s3-express"))))
                .map(PriceTable::name)
                .contains("aws-s3-express-us-east-1");
        assertThat(PriceTables.of(EngineSettings.parse(
                        Map.of("blobshuffle.store", store, "blobshuffle.store.prices", file.toString()))))
                .map(PriceTable::name)
                .contains("mine");
        assertThatThrownBy(() -> PriceTables.of(EngineSettings.parse(Map.of("blobshuffle.store.prices", "acme"))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'acme'");
    }

    @Test
    void whatNobodyHasVerifiedSaysSo() {
        for (String name : PriceTables.names()) {
            PriceTable table = PriceTables.named(name);
            boolean isVerified = name.startsWith("aws") || name.startsWith("r2") || name.equals("self-hosted");
            assertThat(table.source().contains("not verified")).as(name).isEqualTo(!isVerified);
        }
    }
}
