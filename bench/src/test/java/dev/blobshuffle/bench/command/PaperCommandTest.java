package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PaperCommandTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new PaperCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void figureIsWrittenAsRowsPlotAndPage() throws Exception {
        Path json = directory.resolve("paper.json");
        Path page = directory.resolve("paper.html");
        int status = run(
                "--figures",
                "6",
                "--profiles",
                "s3-paper-requests",
                "--batches",
                "50",
                "--without-cpu",
                "--json",
                json.toString(),
                "--report",
                page.toString(),
                "--plots",
                directory.toString());
        assertThat(status).describedAs(err.toString()).isZero();
        JsonNode all = new ObjectMapper().readTree(json.toFile());
        JsonNode first = all.get("rows").get(0);
        assertThat(first.get("figure").asInt()).isEqualTo(6);
        assertThat(first.get("layout").asText()).isEqualTo("paper");
        assertThat(first.get("metric").asText()).isEqualTo("latency_p50_seconds");
        assertThat(first.get("paper").asDouble()).isEqualTo(1.07);
        assertThat(first.get("measured").asDouble()).isBetween(0.5, 2.0);
        assertThat(page).content().contains("Figure 6: Latency distributions", "discs are the paper's own numbers");
        assertThat(directory.resolve("paper-figure-6.svg"))
                .content()
                .contains("x=\"0\" y=\"380\"")
                .endsWith("</svg>\n");
    }

    @Test
    void figuresAndProfilesThatDoNotExistAreRefused() {
        assertThat(run("--figures", "5")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot run figure 5");
        assertThat(run("--profiles", "tape")).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot use profile 'tape'", "s3-paper-requests");
        assertThat(run("--batches", "1")).isEqualTo(2);
    }
}
