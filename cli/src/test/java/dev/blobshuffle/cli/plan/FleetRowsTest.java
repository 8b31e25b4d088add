package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The rows for fleets of small instances in the planner's guide. */
class FleetRowsTest {
    private static final Path PAGE = Path.of("..", "docs", "guides", "planner.md");
    private static final String BEGIN = "<!-- begin: fleets -->\n";
    private static final String END = "<!-- end: fleets -->\n";
    private static final String ONCE = " --guarantee exactly_once_v2";

    private static JsonNode plan(String load, String profile, String more) throws IOException {
        StringWriter out = new StringWriter();
        String arguments = "--throughput " + load + " --instances 96 --partitions 216 --target-p95 1s --json"
                + " --latency-profile " + profile + more;
        int ignored =
                new CommandLine(new PlanCommand()).setOut(new PrintWriter(out)).execute(arguments.split(" "));
        return new ObjectMapper().readTree(out.toString());
    }

    private static double usd(JsonNode plan, String component) {
        return plan.at("/blobshuffle/components_usd_per_hour/" + component).asDouble();
    }

    private static double requests(JsonNode plan) {
        return usd(plan, "puts") + usd(plan, "gets");
    }

    private static double all(JsonNode plan) {
        return plan.at("/blobshuffle/storage_usd_per_hour").asDouble()
                + plan.at("/blobshuffle/kafka_usd_per_hour").asDouble();
    }

    private static String row(String load, String guarantee, String how, JsonNode plan) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %.1f | %.2f | %.2f | %.2f | **%.2f** | %.2f s |%n",
                load,
                guarantee,
                how,
                plan.at("/blobshuffle/per_second/puts").asDouble(),
                requests(plan),
                usd(plan, "notifications"),
                usd(plan, "inlined_records"),
                all(plan),
                plan.at("/latency_seconds/p95").asDouble());
    }

    private static String rows() throws IOException {
        List<String> rows = new ArrayList<>();
        for (String more : List.of("", ONCE)) {
            String guarantee = more.isEmpty() ? "at-least-once" : "exactly-once, 100 ms commits";
            for (String load : more.isEmpty() ? List.of("100MiB/s", "10MiB/s") : List.of("100MiB/s")) {
                String profile = "s3-blobshuffle-paper";
                rows.add(row(load, guarantee, "no, " + profile, plan(load, profile, more)));
                rows.add(row(load, guarantee, "yes, " + profile, plan(load, profile, more + " --combine")));
                rows.add(row(load, guarantee, "yes, s3-standard", plan(load, "s3-standard", more + " --combine")));
            }
        }
        return "| load | guarantee | combining, profile | PUT/s | requests | notifications | inlined | all, USD/h | p95 |\n"
                + "|---|---|---|---:|---:|---:|---:|---:|---:|\n"
                + String.join("", rows)
                + "\nWithout combining, blobs pay from " + threshold("") + " on. With combining, they pay from "
                + threshold(" --combine") + " on.\n";
    }

    /** At a load so small that blobs do not pay. */
    private static String threshold(String more) throws IOException {
        double bytes = plan("0.1MiB/s", "s3-blobshuffle-paper", more)
                .at("/break_even_bytes_per_second")
                .asDouble();
        return String.format(Locale.ROOT, "%.1f MiB/s", bytes / (1 << 20));
    }

    @Test
    void theGuideHasTheRowsOfTheModel() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(page).contains(BEGIN, END);
        String expected = page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
                + "\n"
                + rows()
                + "\n"
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("docs/guides/planner.md has the model's rows; update it: ./mvnw -q -Pquick -pl cli -am test"
                        + " -Dtest=FleetRowsTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.update=true")
                .hasContent(expected);
    }

    @Test
    void requestsOfFleetsReachTheirGoals() throws IOException {
        assertThat(requests(plan("100MiB/s", "s3-standard", " --combine"))).isLessThan(0.5);
        assertThat(requests(plan("10MiB/s", "s3-standard", " --combine"))).isLessThanOrEqualTo(0.15);
        assertThat(requests(plan("100MiB/s", "s3-standard", ONCE + " --combine")))
                .isLessThan(0.7);
    }
}
