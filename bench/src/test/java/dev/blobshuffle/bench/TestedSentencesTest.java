package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that {@code docs/testing/cases.md} names for the promises on deletion exist. */
class TestedSentencesTest {
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))\\.([a-z]\\w+)`");

    @Test
    void everyPromiseOnDeletionHasATestThatExists() throws IOException {
        String page = Files.readString(Path.of("../docs/testing/cases.md"));
        int start = page.indexOf("## Deletion\n");
        String section = page.substring(start, page.indexOf("\n## ", start));
        List<String> promises = section.lines()
                .filter(line -> line.startsWith("| ") && !line.endsWith("| test |"))
                .toList();

        assertThat(promises)
                .hasSizeGreaterThan(20)
                .allMatch(line -> TEST.matcher(line).find());
        assertThat(missing(section)).isEmpty();
    }

    @Test
    void aTestThatIsNotThereIsFound() throws IOException {
        assertThat(missing(
                        "`TestedSentencesTest.aTestThatIsNotThereIsFound`, `TestedSentencesTest.absent`, `NoTest.any`"))
                .containsExactly("TestedSentencesTest.absent", "NoTest.any");
    }

    private static List<String> missing(String text) throws IOException {
        List<String> missing = new ArrayList<>();
        List<Path> sources = sources();
        Matcher test = TEST.matcher(text);
        while (test.find()) {
            boolean isThere = false;
            for (Path source : sources) {
                isThere |= source.endsWith(test.group(1) + ".java")
                        && Files.readString(source).contains("void " + test.group(2) + "(");
            }
            if (!isThere) {
                missing.add(test.group(1) + "." + test.group(2));
            }
        }
        return missing;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.map(one -> one.resolve("src/test/java"))
                    .filter(Files::exists)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }
}
