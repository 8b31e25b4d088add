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
    void eachApplicationHasAStoreOfItsOwn() {
        long day = 20_000L * 24 * 60 * 60 * 1000;
        String place = "2024-10-04-000000000000002a";

        assertThat(StorePlace.below("s3://bucket/prefix/?region=eu-central-1", day, 42))
                .isEqualTo("s3://bucket/prefix/spark/" + place + "?region=eu-central-1");
        assertThat(StorePlace.below("s3://bucket", day, 42)).isEqualTo("s3://bucket/spark/" + place);
        assertThat(StorePlace.below("file:///a,/b?fsync=none", day, 42))
                .isEqualTo("file:///a/spark/" + place + ",/b/spark/" + place + "?fsync=none");
        assertThat(StorePlace.below("memory://name", day, 42)).isEqualTo("memory://name." + place);
    }

    @Test
    void aStoreInMemoryIsForOneProcess() {
        StorePlace.requireReachable("memory://name", "local[2]");
        StorePlace.requireReachable("memory://name", "local[2,4]");
        StorePlace.requireReachable("file:///blobs", "k8s://host");
        assertThatThrownBy(() -> StorePlace.requireReachable("memory://name", "local-cluster[2,1,1024]"))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("Name a store that all of them reach");
    }
}
