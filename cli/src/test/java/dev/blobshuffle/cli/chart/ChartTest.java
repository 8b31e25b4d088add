package dev.blobshuffle.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.cli.chart.Plot.Point;
import java.io.StringReader;
import java.util.List;
import java.util.stream.DoubleStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartTest {
    private static final Axis MILLIS = Axis.logarithmic(DoubleStream.of(0, 3, 450), value -> value + " ms");
    private static final Axis SHARE = new Axis(Axis.Scale.LINEAR, 0, 1, value -> Math.round(value * 100) + " %");

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }

    @Test
    void everythingThatIsDrawnLiesInTheDrawing() throws Exception {
        Document svg = parsed(new Plot(MILLIS, SHARE)
                .curve("a <b> & \"c\"", Colour.NATIVE, List.of(Point.of(0, 0), Point.of(9, 0.5), Point.of(9e9, 2)))
                .points(Colour.BLOBS, List.of(new Point(450, 1, "a hint")))
                .mark("here", Colour.CHOSEN, Point.of(450, 0.2))
                .span(Colour.OTHER, 20, 0.1, 0.9)
                .level("half", Colour.FURTHER, 0.5)
                .level("beyond", Colour.FURTHER, 7)
                .svg());
        String[] size = svg.getDocumentElement().getAttribute("viewBox").split(" ");
        NodeList dots = svg.getElementsByTagName("circle");
        assertThat(dots.getLength()).isEqualTo(2);
        for (int i = 0; i < dots.getLength(); i++) {
            Element dot = (Element) dots.item(i);
            assertThat(number(dot, "cx")).isBetween(0.0, Double.parseDouble(size[2]));
            assertThat(number(dot, "cy")).isBetween(0.0, Double.parseDouble(size[3]));
        }
        assertThat(((Element) svg.getElementsByTagName("polyline").item(0)).getAttribute("points"))
                .doesNotContain("NaN", "Infinity", "-");
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("a <b> & \"c\"", "a hint", "half", "10.0 ms", "100.0 ms", "60 %")
                .doesNotContain("beyond");
    }

    @Test
    void moreIsFurtherRightAndFurtherUp() throws Exception {
        NodeList dots = parsed(new Plot(MILLIS, SHARE)
                        .points(Colour.BLOBS, List.of(Point.of(4, 0.1), Point.of(40, 0.2), Point.of(400, 0.3)))
                        .svg())
                .getElementsByTagName("circle");
        for (int i = 1; i < dots.getLength(); i++) {
            Element before = (Element) dots.item(i - 1);
            Element now = (Element) dots.item(i);
            assertThat(number(now, "cx")).isGreaterThan(number(before, "cx"));
            assertThat(number(now, "cy")).isLessThan(number(before, "cy"));
        }
    }

    @Test
    void axesHaveAFewRoundTicks() {
        assertThat(Axis.fromZero(DoubleStream.of(7, 183), Double::toString).ticks())
                .containsExactly(0, 50, 100, 150, 200);
        assertThat(Axis.fromZero(DoubleStream.empty(), Double::toString).ticks())
                .hasSizeBetween(3, 7);
        assertThat(Axis.logarithmic(DoubleStream.of(1, 10), Double::toString).ticks())
                .containsExactly(1, 2, 5, 10);
        assertThat(Axis.logarithmic(DoubleStream.of(1e-6, 1e6), Double::toString)
                        .ticks())
                .hasSizeBetween(10, 16);
        assertThatThrownBy(() -> new Axis(Axis.Scale.LOGARITHMIC, 0, 1, Double::toString))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void barsAreAsLongAsTheirValues() throws Exception {
        NodeList boxes = parsed(new Bars()
                        .bar("one", Colour.NATIVE, 100, "100")
                        .bar("two", Colour.BLOBS, new Bars.Spread(40, 50, 80), "50")
                        .bar("none", Colour.BLOBS, 0, "0")
                        .svg())
                .getElementsByTagName("rect");
        assertThat(number((Element) boxes.item(0), "width")).isEqualTo(2 * number((Element) boxes.item(1), "width"));
        assertThat(number((Element) boxes.item(2), "width")).isEqualTo(1);
        assertThat(parsed(new Bars().bar("nothing", Colour.NATIVE, 0, "0").svg()))
                .isNotNull();
    }

    @Test
    void aPageEscapesWhatItIsGiven() {
        String html = new HtmlPage("a & b")
                .heading("<h>")
                .paragraph("<script>alert(1)</script>")
                .preformatted("x=\"1\"")
                .table(List.of("<n>"), List.of(List.of("<v>")))
                .html();
        assertThat(html)
                .contains("<title>a &amp; b</title>", "<h2>&lt;h&gt;</h2>", "<td>&lt;v&gt;</td>", "x=&quot;1&quot;")
                .doesNotContain("<script>")
                .endsWith("</body></html>\n");
    }
}
