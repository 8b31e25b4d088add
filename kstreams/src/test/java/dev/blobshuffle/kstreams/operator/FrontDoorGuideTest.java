package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guide runs. */
class FrontDoorGuideTest {
    private static final Path GUIDE = Path.of("../docs/guides/which-front-door.md");
    private static final Path TESTS = Path.of("src/test/java/dev/blobshuffle/kstreams");

    @Test
    void javaOfTheGuideIsInTheExamples() throws Exception {
        String examples = Stream.of(
                        "WordCountExample.java",
                        "operator/WordCountByOperatorsExample.java",
                        "operator/FigureOneExample.java",
                        "operator/TestDriverExampleTest.java")
                .map(FrontDoorGuideTest::example)
                .reduce("", String::concat);
        List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(GUIDE))
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(snippets).hasSize(4).allSatisfy(java -> assertThat(examples).contains(normalized(java)));
    }

    @Test
    void figureOneCounts(@TempDir Path directory) throws Exception {
        Path secretFile = SecretFiles.create(directory);
        StreamsBuilder builder = new StreamsBuilder();
        FigureOneExample.count(
                        builder.stream("events", Consumed.with(Serdes.String(), Serdes.String())),
                        "memory://figure-one",
                        secretFile)
                .toStream()
                .mapValues(String::valueOf)
                .to("counts", Produced.with(Serdes.String(), Serdes.String()));

        assertThat(InTestDriver.of(builder.build(), settings -> {}).stringsThrough("events", "u1;x", "counts"))
                .isEqualTo("1");
    }

    private static String example(String file) {
        try {
            return normalized(Files.readString(TESTS.resolve(file)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String normalized(String java) {
        return java.replaceAll("\\s+", " ").strip();
    }
}
