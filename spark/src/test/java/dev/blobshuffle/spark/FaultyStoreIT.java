package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.spark.FaultyStores.Fault;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is slow, fails, throttles or is dead: the results are right, or the job fails. */
class FaultyStoreIT {
    @TempDir
    private Path directory;

    @AfterEach
    void heal() {
        FaultyStores.fault = Fault.NONE;
    }

    private SparkApplication application(Map<String, String> settings) {
        Map<String, String> configuration = new TreeMap<>(settings);
        configuration.put("spark.blobshuffle.store", "faulty://" + directory.resolve("store"));
        return SparkApplication.withPlugin(directory, configuration);
    }

    @Test
    void faultsThatPassDoNotChangeResults() {
        try (SparkApplication spark = application(Map.of("spark.blobshuffle.durability", "sync"))) {
            String expected = Programs.grouped(spark);
            for (Fault fault : List.of(Fault.SLOW, Fault.FAILING, Fault.THROTTLED)) {
                FaultyStores.fault = fault;
                assertThat(Programs.grouped(spark)).as("%s", fault).isEqualTo(expected);
            }
            FaultyStores.fault = Fault.NONE;
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
    }

    /** After two minutes of attempts. */
    @Test
    @Tag("nightly")
    void aJobFailsClearlyIfOutputsMustBeStoredAndCannotBe() {
        try (SparkApplication spark = application(Map.of("spark.blobshuffle.durability", "sync"))) {
            FaultyStores.fault = Fault.DEAD;
            assertThatThrownBy(() -> Programs.grouped(spark)).hasStackTraceContaining("planted refusal");
            FaultyStores.fault = Fault.NONE;
            assertThat(Programs.grouped(spark)).as("the application goes on").isNotEmpty();
        }
    }

    @Test
    void aDeadStoreDoesNotStopJobsWhoseExecutorsLive() {
        try (SparkApplication spark = application(Map.of("spark.blobshuffle.upload.min.age.ms", "1"))) {
            String expected = Programs.grouped(spark);
            FaultyStores.fault = Fault.DEAD;
            assertThat(Programs.grouped(spark)).isEqualTo(expected);
        }
    }
}
