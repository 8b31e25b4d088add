package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests wait for events or, with Awaitility, for conditions. A pause of a set length makes a test
 * slow on a fast machine and wrong on a slow one.
 */
class TestPausesTest {
    private static final Pattern PAUSE =
            Pattern.compile("Thread\\.sleep\\(|LockSupport\\.park|TimeUnit\\.[A-Z]+\\.sleep\\(");

    /**
     * The number of pauses by file: a load has a rate, and a call, a store or a fault a duration.
     */
    private static final Map<String, Integer> SUBJECTS = Map.of(
            "ChaosTopology.java", 1,
            "ChaosVariant.java", 1,
            "CheckpointIT.java", 1,
            "HttpConnectionsTest.java", 1,
            "KeyParallelIT.java", 2,
            "Probe.java", 1,
            "TaskFailureIT.java", 3);

    @Test
    void pausesAreOnlyWhereTheyAreTheSubject() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path source : tests(Path.of(".."))) {
            int pauses = (int) PAUSE.matcher(Files.readString(source)).results().count();
            String name = source.getFileName().toString();
            if (pauses > 0 && !name.equals("TestPausesTest.java")) {
                found.merge(name, pauses, Integer::sum);
            }
        }

        assertThat(found)
                .as("pauses in tests; wait for an event, or for a condition with Awaitility")
                .isEqualTo(new TreeMap<>(SUBJECTS));
    }

    private static List<Path> tests(Path root) throws IOException {
        try (Stream<Path> modules = Files.list(root)) {
            List<Path> directories = modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList();
            assertThat(directories).hasSizeGreaterThan(20);
            List<Path> found = new ArrayList<>();
            for (Path directory : directories) {
                try (Stream<Path> files = Files.walk(directory)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                }
            }
            return found;
        }
    }
}
