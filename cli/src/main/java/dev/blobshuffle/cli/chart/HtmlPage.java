package dev.blobshuffle.cli.chart;

import java.util.List;

/** A self-contained HTML report. Texts are escaped. Owned by one thread. */
public final class HtmlPage {
    private static final String STYLE =
            "body{font:15px/1.5 system-ui,sans-serif;max-width:820px;margin:2em auto;padding:0 1em;color:#222}"
                    + "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid #ddd;text-align:right}"
                    + "td:first-child,th:first-child{text-align:left}pre{background:#f6f6f6;padding:1em;overflow-x:auto}";

    private final StringBuilder html = new StringBuilder();

    /** A page with its title. */
    public HtmlPage(String title) {
        html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(escaped(title))
                .append("</title>\n<style>")
                .append(STYLE)
                .append("</style></head><body>\n<h1>")
                .append(escaped(title))
                .append("</h1>\n");
    }

    /** Adds a heading. */
    public HtmlPage heading(String text) {
        return element("h2", text);
    }

    /** Adds a paragraph. */
    public HtmlPage paragraph(String text) {
        return element("p", text);
    }

    /** Adds a text with its line breaks. */
    public HtmlPage preformatted(String text) {
        return element("pre", text);
    }

    /** Adds a link to a file, relative to the page. */
    public HtmlPage link(String file) {
        html.append("<p><a href=\"")
                .append(escaped(file))
                .append("\">")
                .append(escaped(file))
                .append("</a></p>\n");
        return this;
    }

    /** Adds a plot. */
    public HtmlPage figure(Chart chart) {
        html.append(chart.svg());
        return this;
    }

    /** Adds a table with a header row. */
    public HtmlPage table(List<String> names, List<List<String>> rows) {
        html.append("<table>");
        row("th", names);
        rows.forEach(row -> row("td", row));
        html.append("</table>\n");
        return this;
    }

    private void row(String kind, List<String> cells) {
        html.append("<tr>");
        cells.forEach(cell -> html.append('<')
                .append(kind)
                .append('>')
                .append(escaped(cell))
                .append("</")
                .append(kind)
                .append('>'));
        html.append("</tr>\n");
    }

    private HtmlPage element(String kind, String text) {
        html.append('<')
                .append(kind)
                .append('>')
                .append(escaped(text))
                .append("</")
                .append(kind)
                .append(">\n");
        return this;
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** The whole page. */
    public String html() {
        return html + "</body></html>\n";
    }
}
