package dev.blobshuffle.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartTest {
    private static final Chart CHART = new Chart(
            "Cost & latency",
            Axis.logarithmic("ms"),
            Axis.linear("USD"),
            List.of(
                    new Series(
                            "one <two>",
                            Series.Form.MARKED,
                            List.of(Series.Point.of(1, 5, "first"), Series.Point.of(1000, 10, "second"))),
                    new Series("none", Series.Form.LINE, List.of(Series.Point.of(Double.NaN, 1, "nowhere")))));

    @Test
    void svgIsSelfContainedAndEscaped() {
        assertThat(CHART.svg())
                .startsWith("<svg")
                .contains("Cost &amp; latency", "one &lt;two&gt;", "first", "</svg>")
                .doesNotContain("NaN", "href=", "src=");
    }

    @Test
    void pngShowsTheSameSize(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("chart.png");

        CHART.writePng(file);

        assertThat(ImageIO.read(file.toFile()).getWidth()).isEqualTo(1440);
    }

    @Test
    void logarithmicAxisGivesEachPowerOfTenTheSameRoom() {
        Axis axis = Axis.logarithmic("ms");

        assertThat(axis.share(10, 1, 100)).isEqualTo(0.5);
        assertThat(axis.ticks(1, 100)).containsExactly(1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0);
    }

    @Test
    void logarithmicAxisHoldsMoreThanOneMark() {
        assertThat(Axis.ends(2.1, 2.3)).containsExactly(2, 10);
        assertThat(Axis.ends(5, 5)).containsExactly(5, 50);
        assertThat(Axis.ends(0.02, 730)).containsExactly(0.02, 1000);
        assertThat(Axis.logarithmic("ms").ticks(0.01, 1000)).contains(0.1, 10.0).doesNotContain(20.0);
    }

    @Test
    void nothingIsWrittenBetweenCountedThings() {
        assertThat(Axis.whole("instances").ticks(0, 2.1)).containsExactly(0.0, 1.0, 2.0);
    }

    @Test
    void largeNumbersKeepTheirDigits() {
        Axis axis = Axis.linear("records");

        assertThat(axis.label(1_500_000)).isEqualTo("1.5 M");
        assertThat(axis.label(100)).isEqualTo("100");
        assertThat(axis.label(0.25)).isEqualTo("0.25");
    }

    @Test
    void barsWithoutHeightAreNothingToSee() {
        Series none = new Series("none", Series.Form.BARS, List.of(Series.Point.of(0, 0, "")));

        assertThat(new Chart("t", Axis.of("", List.of("")), Axis.linear("y"), List.of(none)).isEmpty())
                .isTrue();
    }

    @Test
    void colourIsTheSameWhateverElseIsShown() {
        Series third =
                new Series("third", Series.Form.DISCS, List.of(Series.Point.of(1, 1, "")), java.util.OptionalInt.of(2));

        assertThat(new Chart("t", Axis.linear("x"), Axis.linear("y"), List.of(third)).svg())
                .contains("#0f766e")
                .doesNotContain("#b45309");
    }

    @Test
    void barsStandInTheMiddleOfTheirCategory() {
        Axis axis = Axis.of("instances", List.of("1", "2"));

        assertThat(axis.share(0, 0, 1)).isEqualTo(0.25);
        assertThat(axis.label(1)).isEqualTo("2");
    }

    @Test
    void longNamesOfCategoriesDoNotShareARow() {
        List<String> names =
                List.of("replication.factor=3", "topology-optimization=all", "standby-replicas=2", "c4", "c5");
        String svg = new Chart("t", Axis.of("option", names), Axis.linear("y"), List.of()).svg();

        assertThat(heightOf(svg, names.get(0))).isNotEqualTo(heightOf(svg, names.get(1)));
        assertThat(heightOf(CHART.svg(), "10")).isEqualTo(heightOf(CHART.svg(), "100"));
    }

    private static String heightOf(String svg, String text) {
        return svg.lines()
                .filter(line -> line.contains(">" + text + "<"))
                .map(line -> line.replaceAll(".* y=\"([0-9.]+)\".*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pageEscapesWhatItIsGiven() {
        String html = new HtmlPage("a & b")
                .heading("<h>")
                .paragraph("<script>alert(1)</script>")
                .preformatted("x=\"1\"")
                .table(List.of("<n>"), List.of(List.of("<v>")))
                .figure(CHART)
                .html();

        assertThat(html)
                .contains(
                        "<title>a &amp; b</title>",
                        "<h2>&lt;h&gt;</h2>",
                        "<td>&lt;v&gt;</td>",
                        "x=&quot;1&quot;",
                        "<svg")
                .doesNotContain("<script>")
                .endsWith("</body></html>\n");
    }
}
