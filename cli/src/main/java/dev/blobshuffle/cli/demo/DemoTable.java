package dev.blobshuffle.cli.demo;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints the comparison for people. Stateless. */
final class DemoTable {
    private static final String LINE = "%-42s %16s %16s %9s";

    private static final int WIDTH = 86;

    private DemoTable() {}

    static void print(DemoResult result, PrintWriter out) {
        out.println();
        out.println(line("", Variant.NATIVE.title(), Variant.BLOBS.title(), "ratio"));
        out.println("-".repeat(WIDTH));
        for (DemoResult.Row row : result.rows()) {
            out.println(line(row.name(), row.nativeValue(), row.blobValue(), row.ratio()));
        }
        out.println(line("outputs equal", "", result.outputsEqual() ? "yes" : "NO", ""));
        printZones(result, out);
        out.println();
        result.notes().forEach(out::println);
        if (!result.outputsEqual()) {
            out.println();
            out.println("The outputs differ. The first differences:");
            result.differences().forEach(difference -> out.println("  " + difference));
        }
        out.flush();
    }

    private static void printZones(DemoResult result, PrintWriter out) {
        out.println();
        out.println(line("bytes of blobs that instances got", "store", "own cache", "zone"));
        out.println("-".repeat(WIDTH));
        result.zoneRows()
                .forEach(zone ->
                        out.println(line("in " + zone.zone(), zone.fromStore(), zone.fromOwn(), zone.fromZone())));
        out.println(result.crossZoneNote());
    }

    private static String line(String name, String left, String right, String ratio) {
        return String.format(Locale.ROOT, LINE, name, left, right, ratio).stripTrailing();
    }
}
