package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The default of {@code inline.max.bytes}, which depends on the store. */
class InlineDefaultTest {
    @ParameterizedTest
    @CsvSource({
        "s3://bucket/prefix, 16777216, 106496",
        "s3://bucket?endpoint=http://minio:9000, 16777216, 0",
        "gs://bucket, 16777216, 212992",
        "az://bucket, 16777216, 0",
        "file:///blobs, 16777216, 0",
        "memory://blobs, 16777216, 0",
        "s3://bucket, 65536, 65536"
    })
    void theStoresPricesDecide(String store, String batchBytes, long expected) {
        Settings settings =
                EngineSettings.parse(Map.of("blobshuffle.store", store, "blobshuffle.batch.max.bytes", batchBytes));
        assertThat(BatcherOptions.builder(settings).build().inlineBytes()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "file:///blobs, 16777216, 65536",
        "memory://blobs, 4096, 4096",
        "s3://bucket/prefix, 16777216, 106496",
    })
    void withoutADelaySmallBatchesAreInlinedWhateverTheStore(String store, String batchBytes, long expected) {
        Settings settings = EngineSettings.parse(Map.of(
                "blobshuffle.store",
                store,
                "blobshuffle.batch.max.bytes",
                batchBytes,
                "blobshuffle.batch.max.delay.ms",
                "0"));
        assertThat(BatcherOptions.builder(settings).build().inlineBytes()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1 KiB, 1024"})
    void whatIsGivenHolds(String given, long expected) {
        Settings settings =
                EngineSettings.parse(Map.of("blobshuffle.store", "s3://bucket", "blobshuffle.inline.max.bytes", given));
        assertThat(BatcherOptions.builder(settings).build().inlineBytes()).isEqualTo(expected);
    }
}
