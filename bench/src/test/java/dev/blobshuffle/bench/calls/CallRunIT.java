package dev.blobshuffle.bench.calls;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that measure nothing are no rows. */
class CallRunIT {
    private static KafkaProcess kafka;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startBroker() {
        kafka = KafkaProcess.builder().start();
    }

    @AfterAll
    static void stopBroker() {
        kafka.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = CallVariant.class,
            names = {"PLAIN", "KEY"})
    void anApplicationThatFailsFailsItsRow(CallVariant variant) {
        // Nothing listens on this port: each call is refused.
        CallClient client = new CallClient(URI.create("http://127.0.0.1:1"));
        CallRun run = new CallRun(kafka, client, ProcessHandle.current(), "at_least_once", 500, directory);
        CallCell cell = new CallCell("refused", variant, 5, 50, 10, 0, 4, 1);

        assertThatThrownBy(() -> run.run(cell, variant.ordinal(), Duration.ofMillis(500), Duration.ofSeconds(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("refused (" + variant.label() + "): the application failed")
                .hasStackTraceContaining("java.net.ConnectException");
    }
}
