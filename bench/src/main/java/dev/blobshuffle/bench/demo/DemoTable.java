package dev.blobshuffle.bench.demo;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints the comparison for people. Stateless. */
final class DemoTable {
    private static final String LINE = "%-42s %16s %16s %9s";

    private static final int WIDTH = 86;

    private DemoTable() {}

    static void print(DemoResult result, PrintWriter out) {
        out.println();
        out.println(line("", DemoVariant.NATIVE.title(), DemoVariant.BLOBS.title(), "ratio"));
        out.println("-".repeat(WIDTH));
        for (DemoResult.Row row : result.rows()) {
            out.println(line(row.name(), row.nativeValue(), row.blobValue(), row.ratio()));
        }
        out.println(line("outputs equal", "", result.outputsEqual() ? "yes" : "NO", ""));
        printZones(result, out);
        out.println();
        result.notes().forEach(out::println);
        out.println();
        out.println(result.verdict());
        out.println(result.breakEven());
        result.combining().ifPresent(out::println);
        if (!result.outputsEqual()) {
            out.println();
            out.println("The outputs differ. The first differences:");
            result.differences().forEach(difference -> out.println("  " + difference));
        }
        out.flush();
    }

    private static void printZones(DemoResult result, PrintWriter out) {
        out.println();
        String head = zoneLine("bytes of blobs", result.zoneColumns());
        out.println(head);
        out.println("-".repeat(Math.max(WIDTH, head.length())));
        result.zoneRows().forEach(row -> out.println(zoneLine(row.from(), row.bytes())));
        out.println(result.crossZoneNote());
    }

    private static String zoneLine(String name, List<String> cells) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-40s", name));
        cells.forEach(cell -> line.append(String.format(Locale.ROOT, " %14s", cell)));
        return line.toString().stripTrailing();
    }

    private static String line(String name, String left, String right, String ratio) {
        return String.format(Locale.ROOT, LINE, name, left, right, ratio).stripTrailing();
    }
}
