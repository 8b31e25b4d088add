package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of all checks.
 *
 * @param store location of the blobs, without credentials; empty: the store could not be opened
 */
record Diagnosis(Optional<String> store, List<Finding> findings, Optional<ProbeTimes> puts, Optional<ProbeTimes> gets) {
    Diagnosis {
        findings = List.copyOf(findings);
    }

    long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        store.ifPresent(location -> text.append("Store ").append(location).append("\n\n"));
        findings.forEach(finding -> text.append(finding.line()).append('\n'));
        long errors = count(Level.ERROR);
        long warnings = count(Level.WARNING);
        text.append('\n')
                .append(
                        errors + warnings == 0
                                ? "All is well."
                                : counted(errors, "error") + ", " + counted(warnings, "warning") + ".");
        return text.append('\n').toString();
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        store.ifPresent(location -> json.put("store", location));
        json.put("errors", count(Level.ERROR));
        json.put("warnings", count(Level.WARNING));
        json.put("findings", findings.stream().map(Finding::asJson).toList());
        puts.ifPresent(latencies -> json.put("put_latency", latencies.asJson()));
        gets.ifPresent(latencies -> json.put("get_latency", latencies.asJson()));
        return json;
    }
}
