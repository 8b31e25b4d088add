package dev.blobshuffle.bench.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers of the documents are those of the kept results. */
class EvidenceTest {
    private static final Path RESULTS = Path.of("../docs/results");

    /** Documents of which each table and each ratio is tied to a result. */
    private static final List<String> TIED = List.of(
            "README.md",
            "docs/benchmarks.md",
            "docs/demo.md",
            "docs/evidence.md",
            "docs/paper.md",
            "docs/benchmarks/columnar.md",
            "docs/benchmarks/key-parallel.md",
            "docs/benchmarks/messaging.md",
            "docs/benchmarks/results.md",
            "docs/benchmarks/running.md",
            "docs/benchmarks/s3.md",
            "docs/benchmarks/scalability.md",
            "docs/benchmarks/shuffle.md",
            "docs/benchmarks/stores.md",
            "docs/benchmarks/zones.md");

    @TempDir
    private Path directory;

    @BeforeEach
    void writeResults() throws IOException {
        Files.writeString(directory.resolve("clean.json"), """
                {"environment": {"commit": "0123abcd"}, "runs": [
                 {"variant": "a", "repetition": 0, "cpu": 12.34, "steady": true},
                 {"variant": "b", "repetition": 0, "cpu": 5.5, "steady": false}]}
                """);
        Files.writeString(
                directory.resolve("changed.json"), "{\"environment\": {\"commit\": \"0123abcd+\"}, \"x\": 2}");
    }

    @Test
    void everyTableAndRatioIsThatOfAKeptResult() throws IOException {
        KeptFiles files = new KeptFiles(RESULTS);
        List<String> problems = new ArrayList<>();
        for (String page : TIED) {
            List<String> lines = Files.readAllLines(Path.of("..", page));
            Evidence.problems(files, lines).forEach(problem -> problems.add(page + ": " + problem));
        }

        assertThat(problems).isEmpty();
    }

    /** A new page of benchmarks cannot be forgotten. */
    @Test
    void everyPageOfBenchmarksIsTied() throws IOException {
        try (Stream<Path> pages = Files.list(Path.of("../docs/benchmarks"))) {
            assertThat(pages.map(page -> "docs/benchmarks/" + page.getFileName()))
                    .isNotEmpty()
                    .isSubsetOf(TIED);
        }
    }

    private List<String> problems(String document) {
        return Evidence.problems(new KeptFiles(directory), document.lines().toList());
    }

    private static String table(String rows) {
        return """
                ## Title
                [Marks](benchmarks.md#marks)

                <!-- table: clean.json
                rows: a | b
                columns: - | runs[variant={row}].cpu
                -->

                | variant | CPU |
                |---|---|
                """ + rows;
    }

    @Test
    void aTableThatShowsItsResultIsRight() {
        assertThat(problems(table("| a | **12.3** s |\n| b † | 5.5 |\n"))).isEmpty();
    }

    @Test
    void aNumberThatDiffersIsFound() {
        assertThat(problems(table("| a | 12.4 |\n| b † | 5.5 |\n")))
                .singleElement()
                .asString()
                .contains("\"12.4\" is [12.34] in the results");
    }

    @Test
    void unsteadyRunsAreMarkedAndNoOthers() {
        assertThat(problems(table("| a | 12.3 |\n| b | 5.5 |\n")))
                .containsExactly("## Title: not marked as unsteady: b | 5.5");
        assertThat(problems(table("| a † | 12.3 |\n| b | 5.5 † |\n")))
                .containsExactly("## Title: marked as unsteady, but steady: a †");
    }

    @Test
    void aTableWithoutATieIsFound() {
        assertThat(problems("| a | b |\n|---|---|\n| 1 | 2 |\n"))
                .singleElement()
                .asString()
                .contains("a table is tied to nothing");
        assertThat(problems("<!-- no results: settings -->\n\n| a | b |\n|---|---|\n| 1.5 | 2 |\n"))
                .isEmpty();
    }

    @Test
    void ratiosInATextAreTied() {
        String text = "It takes 12.3 s, 2.2 times as much, in 4 runs.\n\n";
        assertThat(problems(text)).singleElement().asString().contains("tied to no result: [12.3, 2.2]");
        assertThat(problems(text + """
                <!-- numbers: clean.json
                12.3 = runs[variant=a].cpu
                2.2 = runs[variant=a].cpu
                  / runs[variant=b].cpu
                -->
                """)).isEmpty();
        assertThat(problems(text + "<!-- stated: 12.3 2.2: the paper -->\n")).isEmpty();
        assertThat(problems(text + """
                <!-- numbers: clean.json
                12.3 7.5 = runs[variant=a].cpu; 7.5
                -->

                <!-- stated: 2.2: the paper -->
                """)).singleElement().asString().contains("7.5 is tied, but not in the text before");
    }

    @Test
    void aResultThatNoCommitRepeatsIsMarked() {
        String tie = "\n\n<!-- numbers: changed.json\n2.0 = x\n-->\n\n[Marks](benchmarks.md#marks)\n";

        assertThat(problems("It is 2.0." + tie)).containsExactly("It is 2.0.: no ‡ although it uses [changed.json]");
        assertThat(problems("It is 2.0 ‡." + tie)).isEmpty();
        assertThat(problems("[This](results/changed.json)."))
                .containsExactly("[This](results/changed.json).: not marked with ‡: changed.json");
        assertThat(problems("[This](results/clean.json) ‡. [Marks](benchmarks.md#marks)"))
                .containsExactly(
                        "[This](results/clean.json) ‡. [Marks](benchmarks.md#marks): marked, but clean: clean.json");
    }
}
