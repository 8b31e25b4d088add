package dev.blobshuffle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.Variant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page, and what two result files say of each other. */
class HtmlReportTest {
    private static final List<Cell> CELLS =
            Cell.all(Parameters.defaults(), Map.of("batch-size", List.of("16 MiB", "1 MiB")));

    private static final Comparison COMPARISON = new Comparison(
            List.of(Variant.NATIVE, Variant.BLOBS_S3),
            List.of(
                    Results.of(CELLS.get(0), Variant.NATIVE, 0, 10),
                    Results.of(CELLS.get(0), Variant.BLOBS_S3, 0, 5),
                    Results.of(CELLS.get(1), Variant.NATIVE, 0, 11),
                    Results.of(CELLS.get(1), Variant.BLOBS_S3, 0, 6)));

    @Test
    void pageNeedsNothingElse() {
        String html = HtmlReport.of("BlobShuffle: shuffle", "bench run", COMPARISON, Map.of("processors", 2));

        assertThat(html)
                .contains("<svg", "</html>", "Throughput", "Cost against latency", "Latency of the shuffle", "16 MiB")
                .doesNotContain("NaN", "src=", "href=");
    }

    @Test
    void sweepsAreInTheOrderOfTheirNumbers() {
        String html = HtmlReport.of("t", "c", COMPARISON, Map.of());

        assertThat(html.indexOf(">1 MiB<")).isLessThan(html.indexOf(">16 MiB<")).isPositive();
    }

    @Test
    void plotsAreSvgAndPng(@TempDir Path directory) throws Exception {
        HtmlReport.writePlots(COMPARISON, directory);

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains("throughput.svg", "throughput.png", "latency-distribution.png", "cost-latency.svg");
        }
    }
}
