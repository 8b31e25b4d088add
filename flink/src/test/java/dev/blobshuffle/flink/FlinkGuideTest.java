package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every line of Java in the guide stands in the example that a test runs. */
class FlinkGuideTest {
    @Test
    void javaOfTheGuideIsTheExample() throws Exception {
        String guide = Files.readString(Path.of("../docs/guides/flink.md"));
        String example =
                normalized(Files.readString(Path.of("src/test/java/dev/blobshuffle/flink/OrdersExample.java")));
        List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(guide)
                .results()
                .map(match -> normalized(match.group(1)))
                .toList();

        assertThat(snippets)
                .hasSize(1)
                .allSatisfy(snippet -> assertThat(example).contains(snippet));
    }

    private static String normalized(String java) {
        return java.replaceAll("\\s+", " ").strip();
    }
}
