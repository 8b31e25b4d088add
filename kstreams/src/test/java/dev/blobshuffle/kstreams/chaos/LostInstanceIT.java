package dev.blobshuffle.kstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of two instances is suspended (SIGSTOP) and never returns. {@code ChaosIT} kills instances,
 * and suspends them for a while.
 */
class LostInstanceIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int WARM = 1_000;

    @TempDir
    private Path directory;

    private final ChaosLedger ledger = new ChaosLedger();
    private final List<ChaosInstance> instances = new ArrayList<>();

    /** Its session and its transactions must time out; then the other instance takes over. */
    @Test
    void everyRecordOfAnInstanceThatStopsComesOutOnce() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic(ChaosTopology.INPUT, ChaosRecord.ORIGINS);
        kafka.createTopic(ChaosTopology.OUTPUT, ChaosRun.OUTPUT_PARTITIONS);
        kafka.createTopic(ChaosTopology.COUNTS, ChaosRun.OUTPUT_PARTITIONS);
        Files.createDirectories(directory.resolve("blobs"));
        ChaosOptions options = ChaosOptions.calm();
        Properties settings = settings(options, kafka);
        ChaosOutput output = new ChaosOutput(kafka.bootstrapServers(), ledger);
        try {
            for (int i = 0; i < options.instances(); i++) {
                instances.add(ChaosInstance.start(i, directory, settings));
            }
            for (ChaosInstance instance : instances) {
                assertThat(instance.await(ChaosInstance.Status::isRunning, PATIENCE))
                        .as(instance::describe)
                        .isTrue();
            }
            ChaosInput input = new ChaosInput(kafka.bootstrapServers(), ledger, options);
            assertThat(ledger.awaitReceived(WARM, PATIENCE)).as("records flow").isTrue();
            instances.get(0).stop();
            ledger.mark();
            assertThat(ledger.awaitMarked(PATIENCE)).as("the other one goes on").isTrue();
            input.finish();
            boolean ignored = ledger.awaitComplete(PATIENCE);
            assertThat(ledger.verdict()).matches(ChaosLedger.Verdict::isExact, "exact");
        } finally {
            instances.forEach(ChaosInstance::kill);
            output.finish();
        }
    }

    private Properties settings(ChaosOptions options, EmbeddedKafka kafka) {
        Properties settings = ChaosRun.settings(options, kafka.bootstrapServers(), directory);
        settings.setProperty("main.consumer.session.timeout.ms", "3000");
        settings.setProperty("main.consumer.heartbeat.interval.ms", "300");
        settings.setProperty("producer.transaction.timeout.ms", "4000");
        settings.setProperty("blobshuffle.delivery.timeout.ms", "2000");
        return settings;
    }
}
