package dev.blobshuffle.core.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MisspeltNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "blobshufle.store",
                "blobshufffle.store",
                "BlobShuffle.store",
                "blob-shuffle.store",
                "blob.shuffle.store",
                "blobshuffel.batch.max.bytes",
                "blobsuffle.zone"
            })
    void nameWithNearlyOurPrefixIsFound(String name) {
        assertThat(MisspeltNames.among(List.of(name))).containsExactly(name);
    }

    @Test
    void otherNamesAreNot() {
        assertThat(MisspeltNames.among(List.of(
                        "blobshuffle.store",
                        "blobshuffle.stroe",
                        "bootstrap.servers",
                        "producer.compression.type",
                        "shuffle.blob.size",
                        "blobshufle")))
                .isEmpty();
    }
}
