package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A minimal system has a shell and coreutils, but not the package procps. So signals go through the
 * shell's own {@code kill}, and {@code ProcessHandle} finds processes.
 */
class StartedProgramsTest {
    private static final Pattern PROCPS = Pattern.compile("\"(kill|pkill|pgrep|ps|top|free|uptime|watch)\"\\s*,");

    @Test
    void nothingStartsAProgramThatAMinimalSystemLacks() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            List<Path> sources = modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList();
            assertThat(sources).hasSizeGreaterThan(20);
            for (Path directory : sources) {
                try (Stream<Path> files = Files.walk(directory)) {
                    assertThat(files.filter(file -> file.toString().endsWith(".java"))
                                    .filter(StartedProgramsTest::startsOne))
                            .as("sources that start programs of procps")
                            .isEmpty();
                }
            }
        }
    }

    private static boolean startsOne(Path source) {
        try {
            String text = Files.readString(source);
            return text.contains("ProcessBuilder") && PROCPS.matcher(text).find();
        } catch (IOException e) {
            throw new AssertionError("cannot read " + source, e);
        }
    }
}
