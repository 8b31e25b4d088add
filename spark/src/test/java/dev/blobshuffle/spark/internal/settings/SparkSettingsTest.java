package dev.blobshuffle.spark.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import java.nio.file.Path;
import java.util.List;
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
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(
                        "setting spark.blobshuffle.durabilty", "nearest is spark.blobshuffle.durability");
        assertThatThrownBy(() -> SparkSettings.of(conf(Map.of("spark.blobshuffle.durability", "never"))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("spark.blobshuffle.durability");
        assertThatThrownBy(() -> SparkSettings.of(new SparkConf(false)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("setting spark.blobshuffle.store is missing");
    }

    private static Settings executor(Map<String, String> values) {
        List<Path> disks = List.of(Path.of("/disk1/blockmgr"), Path.of("/disk2/blockmgr"));
        return SparkSettings.of(conf(values), new SparkSettings.Executor(disks, "host-7", 1 << 30));
    }

    @Test
    void anExecutorsCacheHasAPartOfItsHeap() {
        CacheOptions usual = CacheOptions.of(executor(Map.of()));
        assertThat(usual.memoryBytes()).isEqualTo(128 << 20);
        assertThat(usual.diskDirectories()).isEmpty();
        assertThat(CacheOptions.of(executor(Map.of("spark.blobshuffle.cache.memory.bytes", "0")))
                        .isNone())
                .isTrue();
    }

    @Test
    void anExecutorsCacheOnDiskIsInSparksDirectories() {
        Settings settings = executor(Map.of("spark.blobshuffle.cache.disk.bytes", "10 GiB"));

        assertThat(CacheOptions.of(settings).diskDirectories())
                .containsExactly(
                        Path.of("/disk1/blockmgr/blobshuffle-cache"), Path.of("/disk2/blockmgr/blobshuffle-cache"));
        assertThatThrownBy(() -> SparkSettings.of(conf(Map.of("spark.blobshuffle.cache.disk.dirs", "/cache"))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("spark.blobshuffle.cache.disk.dirs: the executors of a host would share");
    }

    @Test
    void anExecutorThatSharesItsCacheListensOnItsHost() {
        assertThat(executor(Map.of()).value(PeerSettings.LISTEN)).isEmpty();
        assertThat(executor(Map.of("spark.blobshuffle.cache.zone.enabled", "true"))
                        .value(PeerSettings.LISTEN))
                .contains("host-7:0");
        assertThat(executor(Map.of(
                                "spark.blobshuffle.cache.zone.enabled", "true",
                                "spark.blobshuffle.peer.listen", "host-7:7400"))
                        .value(PeerSettings.LISTEN))
                .contains("host-7:7400");
    }

    /** At the driver, and not by the end of each executor. */
    @Test
    void sharedCachesNeedASecret() {
        assertThatThrownBy(() -> SparkSettings.of(conf(Map.of("spark.blobshuffle.cache.zone.enabled", "true"))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(
                        "setting spark.blobshuffle.cache.zone.enabled", "Set spark.blobshuffle.peer.secret.file");
    }

    @Test
    void anInstanceThatCannotOpenNamesWhatTheUserWrote() {
        Settings settings = executor(
                Map.of("spark.blobshuffle.store", "memory://opened", "spark.blobshuffle.cache.zone.enabled", "true"));

        assertThatThrownBy(() -> SparkSettings.opened(ShuffleInstance.builder(settings)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("spark.blobshuffle.peer.secret.file");
    }

    @Test
    void aDriverHasNoCache() {
        Settings settings = SparkSettings.of(conf(Map.of(
                "spark.blobshuffle.cache.zone.enabled", "true",
                "spark.blobshuffle.peer.secret.file", "/etc/blobshuffle/secret",
                "spark.blobshuffle.cache.disk.bytes", "10 GiB",
                "spark.blobshuffle.peer.listen", "host-7:7400")));

        assertThat(CacheOptions.of(settings).isNone()).isTrue();
        assertThat(settings.value(CacheSettings.ZONE_ENABLED)).isFalse();
        assertThat(settings.value(PeerSettings.LISTEN)).isEmpty();
    }

    @Test
    void aStoreInMemoryEndsWithItsProcess() {
        StorePlace.requireReachable("file:///blobs");
        assertThatThrownBy(() -> StorePlace.requireReachable("memory://name"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Name a directory or a bucket");
    }

    @Test
    void aStoreThatIsNoUriNamesTheSettingThatTheUserWrote() {
        assertThatThrownBy(() -> StorePlace.requireReachable("/mnt/shuffle"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("setting spark.blobshuffle.store");
    }

    @Test
    void otherFrontDoorsNameItsOwnSettingsAsItsOwn() {
        for (Setting<?> own : new SparkSettings().settings()) {
            assertThatThrownBy(() -> Settings.parse(Map.of(own.name(), "a"), List.of(new ZoneSettings())))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageStartingWith("Cannot use setting " + own.name() + " here: only the module for Spark");
        }
    }
}
