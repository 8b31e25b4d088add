package dev.blobshuffle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that the alert rules use existing metrics, that promtool accepts them, and that each names
 * a runbook.
 */
class AlertRulesTest {
    private static final Path DASHBOARDS = Path.of("..", "dashboards");
    private static final Pattern METRIC = Pattern.compile("\\bblobshuffle_[a-z0-9_]+");
    private static final Pattern ALERT = Pattern.compile("alert: (\\w+)");
    private static final Pattern RUNBOOK = Pattern.compile("runbook_url: docs/operations\\.md#(\\S+)");

    private static String rules() throws IOException {
        return Files.readString(DASHBOARDS.resolve("alerts.yml"));
    }

    private static List<String> found(Pattern pattern, String text, int group) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult result) -> result.group(group))
                .toList();
    }

    @Test
    void theyAskForMetricsThatExist() throws IOException {
        Set<String> known = new HashSet<>();
        ShuffleMetrics.all().forEach(metric -> known.add(PrometheusText.name(metric)));
        for (Latency latency : Latency.values()) {
            known.add(PrometheusText.name(latency) + "_bucket");
        }

        assertThat(known).containsAll(found(METRIC, rules(), 0));
    }

    @Test
    void everyAlertHasALineInTheRunbook() throws IOException {
        List<String> alerts = found(ALERT, rules(), 1);
        String operations = Files.readString(Path.of("..", "docs", "operations.md"));

        assertThat(alerts).hasSizeGreaterThan(10).doesNotHaveDuplicates();
        assertThat(found(RUNBOOK, rules(), 1))
                .isEqualTo(alerts.stream().map(String::toLowerCase).toList());
        assertThat(alerts).allSatisfy(alert -> assertThat(operations).contains("\n### " + alert + "\n"));
    }

    /** promtool runs the rules' own tests: normal input fires no alert, bad input fires all. */
    @Test
    void prometheusAcceptsThemAndTheyFireAsTheirTestsSay() throws Exception {
        promtool("check", "rules", "alerts.yml");
        promtool("test", "rules", "alerts-test.yml");
    }

    private static void promtool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = InstalledTool.start(
                new ProcessBuilder(command).directory(DASHBOARDS.toFile()), ".ci/install-servers prometheus");
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
