package dev.blobshuffle.spark.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SparkSettingsTest {
    private static SparkConf conf(Map<String, String> values) {
        SparkConf conf = new SparkConf(false).set("spark.blobshuffle.store", "file:///var/lib/blobs");
        values.forEach(conf::set);
        return conf;
    }

    @Test
    void namesOfSparkAreNamesOfSettings() {
        Settings settings = SparkSettings.of(conf(Map.of("spark.blobshuffle.durability", "sync")));

        assertThat(settings.value(SparkSettings.DURABILITY)).isEqualTo(Durability.SYNC);
        assertThat(StoreSettings.uri(settings)).isEqualTo("file:///var/lib/blobs");
    }

    @Test
    void failuresNameWhatTheUserWrote() {
        assertThatThrownBy(() -> SparkSettings.of(conf(Map.of("spark.blobshuffle.durabilty", "sync"))))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContainingAll(
                        "setting spark.blobshuffle.durabilty", "nearest is spark.blobshuffle.durability");
        assertThatThrownBy(() -> SparkSettings.of(conf(Map.of("spark.blobshuffle.durability", "never"))))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("spark.blobshuffle.durability");
        assertThatThrownBy(() -> SparkSettings.of(new SparkConf(false)))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("setting spark.blobshuffle.store is missing");
    }

    @Test
    void aStoreInMemoryEndsWithItsProcess() {
        StorePlace.requireReachable("file:///blobs");
        assertThatThrownBy(() -> StorePlace.requireReachable("memory://name"))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("Name a directory or a bucket");
    }
}
