package dev.blobshuffle.bench.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkloadFileTest {
    private static final List<String> LINES = List.of(
            "# a comment",
            "---",
            "name: some records # and why",
            "",
            "topics: 2",
            "partitionsPerTopic: 48",
            "keyDistributor: \"KEY_ROUND_ROBIN\"",
            "messageSize: 1024",
            "useRandomizedPayloads: true",
            "randomBytesRatio: 0.5",
            "randomizedPayloadPoolSize: 100",
            "subscriptionsPerTopic: 3",
            "producersPerTopic: 4",
            "consumerPerSubscription: 5",
            "producerRate: 6000",
            "consumerBacklogSizeGB: 0",
            "testDurationMinutes: 15");

    @Test
    void everyKeyIsRead() {
        assertThat(WorkloadFile.parse("test", LINES))
                .isEqualTo(new Workload(
                        "some records",
                        2,
                        48,
                        1024,
                        0.5,
                        100,
                        3,
                        4,
                        5,
                        6000,
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(15)));
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Workload workload = WorkloadFile.parse("test", LINES).lasting(Duration.ofMillis(100), Duration.ofMillis(1500));
        assertThat(WorkloadFile.parse("copy", WorkloadFile.format(workload))).isEqualTo(workload);
    }

    @Test
    void workloadsOfTheRepositoryAreLegal() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("workloads"))) {
            List<Path> all = files.toList();
            assertThat(all).isNotEmpty();
            for (Path file : all) {
                assertThat(WorkloadFile.read(file).messageSize()).isEqualTo(1024);
            }
        }
    }

    @Test
    void wrongFilesAreRefusedWithARemedy() {
        refused(List.of(), "it is empty. Give at least topics");
        refused(with("producerrate: 1"), "key 'producerrate' is unknown. Known keys: [backlogDrainRatio,");
        refused(with("topics: 1"), "key 'topics' is there twice");
        refused(with("  indented: 1"), "line 18 is not 'key: value'");
        refused(with("no colon"), "line 18 is not 'key: value'");
        refused(without("topics"), "topics is missing. Add it.");
        refused(replaced("topics", "two"), "topics is 'two'. Give a number.");
        refused(replaced("topics", "1.5"), "topics is '1.5'. Give a whole number.");
        refused(replaced("topics", "0"), "Cannot use topics: 0. Give a number from 1 to 1000. The workload is test.");
        refused(replaced("messageSize", "10"), "Cannot use messageSize: 10.");
        refused(replaced("randomBytesRatio", "2"), "Cannot use randomBytesRatio: 2.0.");
        refused(replaced("keyDistributor", "NO_KEY"), "Set it to KEY_ROUND_ROBIN.");
        refused(replaced("consumerBacklogSizeGB", "5"), "Set consumerBacklogSizeGB: 0.");
        refused(replaced("testDurationMinutes", "0"), "Give testDurationMinutes above 0");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> WorkloadFile.read(Path.of("absent.yaml")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot read workload absent.yaml: there is no such file. Name a YAML file.");
    }

    private static void refused(List<String> lines, String message) {
        assertThatThrownBy(() -> WorkloadFile.parse("test", lines))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static List<String> with(String line) {
        List<String> lines = new ArrayList<>(LINES);
        lines.add(line);
        return lines;
    }

    private static List<String> without(String key) {
        return LINES.stream().filter(line -> !line.startsWith(key + ":")).toList();
    }

    private static List<String> replaced(String key, String value) {
        List<String> lines = new ArrayList<>(without(key));
        lines.add(key + ": " + value);
        return lines;
    }
}
