package dev.blobshuffle.bench.evidence;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a Markdown document: a paragraph, list or heading, a table, or a comment.
 *
 * @param kind what it is
 * @param lines its lines, of a comment without its marks
 */
record Part(Kind kind, List<String> lines) {
    enum Kind {
        TEXT,
        TABLE,
        COMMENT
    }

    Part {
        lines = List.copyOf(lines);
    }

    /** The sections of a document, from one heading of the second level to the next. */
    static List<List<Part>> sections(List<String> document) {
        List<List<Part>> sections = new ArrayList<>(List.of(new ArrayList<>()));
        for (Part part : parts(document)) {
            if (part.kind == Kind.TEXT && part.lines.get(0).startsWith("## ")) {
                sections.add(new ArrayList<>());
            }
            sections.get(sections.size() - 1).add(part);
        }
        return sections;
    }

    private static List<Part> parts(List<String> document) {
        List<Part> parts = new ArrayList<>();
        int at = 0;
        while (at < document.size()) {
            String line = document.get(at);
            int end = at + 1;
            if (line.startsWith("```")) {
                end = after(document, end, "```");
            } else if (line.startsWith("<!--")) {
                end = line.endsWith("-->") ? end : after(document, end, "-->");
                parts.add(new Part(Kind.COMMENT, comment(document.subList(at, end))));
            } else if (!line.isBlank() && !line.startsWith("    ")) {
                boolean isTable = line.startsWith("|");
                while (end < document.size() && isSame(document.get(end), isTable)) {
                    end++;
                }
                parts.add(new Part(isTable ? Kind.TABLE : Kind.TEXT, document.subList(at, end)));
            }
            at = end;
        }
        return parts;
    }

    private static int after(List<String> document, int from, String mark) {
        int end = from;
        while (end < document.size() && !document.get(end).strip().endsWith(mark)) {
            end++;
        }
        return Math.min(end + 1, document.size());
    }

    private static List<String> comment(List<String> lines) {
        String text = String.join("\n", lines);
        String content = text.substring("<!--".length(), text.lastIndexOf("-->"));
        return content.lines().filter(line -> !line.isBlank()).toList();
    }

    private static boolean isSame(String line, boolean isTable) {
        return isTable
                ? line.startsWith("|")
                : !line.isBlank()
                        && !line.startsWith("    ")
                        && !line.startsWith("|")
                        && !line.startsWith("<!--")
                        && !line.startsWith("```");
    }

    /** The cells of a table, row by row, without the line below the heading. */
    List<List<String>> cells() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (i != 1) {
                String line = lines.get(i).strip();
                String inner = line.substring(1, line.endsWith("|") ? line.length() - 1 : line.length());
                rows.add(List.of(inner.split("\\|", -1)).stream()
                        .map(String::strip)
                        .toList());
            }
        }
        return rows;
    }

    String text() {
        return String.join("\n", lines);
    }
}
