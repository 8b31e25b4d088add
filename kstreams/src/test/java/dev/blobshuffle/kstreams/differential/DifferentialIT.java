package dev.blobshuffle.kstreams.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The same application natively and through blobs leaves the same behind. */
class DifferentialIT {
    private static final int EVENTS = 6_000;

    private static EmbeddedKafka kafka;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.builder().start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @Test
    void nativeRunsAgree() throws Exception {
        var one = run("native-alo-classic", settings("at_least_once", "classic"));
        var other = run("native-eos-streams", settings("exactly_once_v2", "streams"));

        assertThat(Comparison.differences(one.left(), other.left())).isEmpty();
        assertThat(one.left().values()).allMatch(rows -> !rows.rows().isEmpty());
    }

    private static DifferentialRun.Result run(String name, Map<String, Object> settings) throws Exception {
        return new DifferentialRun(kafka.bootstrapServers(), name, settings, EVENTS).run();
    }

    private static Map<String, Object> settings(String guarantee, String protocol) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put("group.protocol", protocol);
        return settings;
    }
}
