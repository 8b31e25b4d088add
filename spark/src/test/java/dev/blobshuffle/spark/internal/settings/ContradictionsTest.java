package dev.blobshuffle.spark.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
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
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining(name + "=true")
                .hasMessageMatching(".*(Set it to false|Remove the setting).*");
        assertThat(settled(new SparkConf(false).set(name, "false")).get(name)).isEqualTo("false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spark.shuffle.manager", "spark.shuffle.sort.io.plugin.class"})
    void anotherShuffleIsRefused(String name) {
        assertThatThrownBy(() -> settled(new SparkConf(false).set(name, "org.example.Other")))
                .isInstanceOf(InvalidSettings.class)
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

    @Test
    void otherReleasesOfSparkAreRefused() {
        Contradictions.requireSupported("4.2.0");
        assertThatThrownBy(() -> Contradictions.requireSupported("4.3.0"))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("Spark 4.3.0");
        assertThatThrownBy(() -> Contradictions.requireSupported("3.5.9")).isInstanceOf(InvalidSettings.class);
    }
}
