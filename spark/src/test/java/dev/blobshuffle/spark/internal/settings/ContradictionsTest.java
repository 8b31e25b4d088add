package dev.blobshuffle.spark.internal.settings;

import static dev.blobshuffle.spark.internal.settings.Contradictions.NAMED_PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.spark.BlobShufflePlugin;
import dev.blobshuffle.spark.Spark35Shuffle;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContradictionsTest {
    private static SparkConf settled(SparkConf conf) {
        Contradictions.settle(conf, Integer.class, Long.class);
        return conf;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spark.shuffle.service.enabled",
                "spark.shuffle.push.enabled",
                "spark.shuffle.useOldFetchProtocol",
                "spark.dynamicAllocation.shuffleTracking.enabled",
                "spark.driver.userClassPathFirst",
                "spark.executor.userClassPathFirst"
            })
    void aContradictionIsRefusedWithItsRemedy(String name) {
        assertThatThrownBy(() -> settled(new SparkConf(false).set(name, "true")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(name + "=true")
                .hasMessageMatching(".*(Set it to false|Remove the setting).*");
        assertThat(settled(new SparkConf(false).set(name, "false")).get(name)).isEqualTo("false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spark.shuffle.manager", "spark.shuffle.sort.io.plugin.class"})
    void anotherShuffleIsRefused(String name) {
        assertThatThrownBy(() -> settled(new SparkConf(false).set(name, "org.example.Other")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(name + "=org.example.Other", "Remove the setting");
    }

    @Test
    void itMakesTheSettingsThatSparkNeeds() {
        SparkConf conf = settled(new SparkConf(false).set("spark.shuffle.manager", "sort"));

        assertThat(conf.get("spark.shuffle.manager")).isEqualTo(Integer.class.getName());
        assertThat(conf.get("spark.shuffle.sort.io.plugin.class")).isEqualTo(Long.class.getName());
        assertThat(conf.get("spark.dynamicAllocation.shuffleTracking.enabled")).isEqualTo("false");
        assertThat(settled(conf)).isSameAs(conf);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.4.4", "4.3.0", "3.50.1", "5.0.0"})
    void otherReleasesOfSparkAreRefused(String version) {
        assertThatThrownBy(() -> Contradictions.requireSupported(version))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Spark " + version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.9", "4.0.4", "4.1.3", "4.2.0"})
    void testedReleasesOfSparkAreSupported(String version) {
        assertThatCode(() -> Contradictions.requireSupported(version)).doesNotThrowAnyException();
    }

    @Test
    void anApplicationOfSpark35NamesTheManager() {
        assertThat(Contradictions.NAMED_MANAGER).isEqualTo(Spark35Shuffle.class.getName());
        SparkConf conf = new SparkConf(false);
        Contradictions.requireManager("4.0.4", conf);
        assertThatThrownBy(() -> Contradictions.requireManager("3.5.9", conf))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Set spark.shuffle.manager=" + Spark35Shuffle.class.getName());

        conf.set("spark.shuffle.manager", Spark35Shuffle.class.getName());
        Contradictions.requireManager("3.5.9", conf);
        assertThat(settled(conf).get("spark.shuffle.manager")).isEqualTo(Spark35Shuffle.class.getName());
    }

    /** Unless the user says otherwise. */
    @Test
    void aDecommissionedExecutorIsAskedForItsOutputs() {
        String storage = "spark.storage.decommission.enabled";
        String outputs = "spark.storage.decommission.shuffleBlocks.enabled";
        assertThat(settled(new SparkConf(false)).contains(storage)).isFalse();

        SparkConf decommissioning = new SparkConf(false).set("spark.decommission.enabled", "true");
        assertThat(settled(decommissioning.clone()).get(storage)).isEqualTo("true");
        assertThat(settled(decommissioning.clone()).get(outputs)).isEqualTo("true");
        assertThat(settled(decommissioning.clone().set(storage, "false")).get(storage))
                .isEqualTo("false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "org.example.Other", "dev.blobshuffle.spark.BlobShufflePlug"})
    void aPartOfTheShuffleIsRefusedWithoutThePlugIn(String plugins) {
        SparkConf conf = new SparkConf(false).set("spark.plugins", plugins);

        assertThatThrownBy(() -> Contradictions.requirePlugin(conf, "shuffle manager"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll("by the shuffle manager alone", "Set spark.plugins=" + NAMED_PLUGIN);
        conf.set("spark.plugins", "org.example.Other, " + NAMED_PLUGIN);
        Contradictions.requirePlugin(conf, "shuffle manager");
    }

    @Test
    void settingsWithoutThePlugInAreNamed() {
        assertThat(NAMED_PLUGIN).isEqualTo(BlobShufflePlugin.class.getName());
        SparkConf conf = new SparkConf(false);
        assertThat(Contradictions.settingsInVain(conf)).isEmpty();
        conf.set("spark.blobshuffle.store", "file:///secret").set("spark.blobshuffle.durability", "sync");

        assertThat(Contradictions.warning(Contradictions.settingsInVain(conf)))
                .contains("spark.blobshuffle.durability, spark.blobshuffle.store", "Set spark.plugins=" + NAMED_PLUGIN)
                .doesNotContain("secret");
        conf.set("spark.plugins", NAMED_PLUGIN);
        assertThat(Contradictions.settingsInVain(conf)).isEmpty();
    }
}
