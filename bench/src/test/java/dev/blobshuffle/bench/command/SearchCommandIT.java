package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * A search with real processes, very small. What a machine carries is not asserted: a busy one
 * carries nothing. Each verdict must follow from the numbers of its run. What a search makes of
 * verdicts, {@code SearchCommandTest} checks.
 */
class SearchCommandIT {
    private static final double LAG_SHARE = 0.5;

    /** What a run says whose output is exact as far as it came: its machine is too busy. */
    private static final String NO_FAULT = "(not measured|overload): .*";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void eachVerdictFollowsFromItsRun() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        Path json = directory.resolve("search.json");

        int status = new CommandLine(new SearchCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(
                        "uc3",
                        "--variants=blobs-file",
                        "--load-kind=sensors",
                        "--loads=50",
                        "--instances=1",
                        "--repetitions=1",
                        "--slo-lag=" + LAG_SHARE,
                        "--slo-dropped=1",
                        "--with=partitions=2",
                        "--with=commit-interval-ms=200",
                        "--with=warm-up-seconds=1",
                        "--with=seconds=3",
                        "--with=drain-seconds=300",
                        "--jvm=-XX:TieredStopAtLevel=1",
                        "--jvm=-XX:+UseSerialGC",
                        "--memory=" + files,
                        "--directory=" + files,
                        "--json=" + json);

        assertThat(status).as("%s%s", out, err).isZero();
        assertThat(files).isEmptyDirectory();
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.get("runs"))
                .as("without the one that warms up the brokers")
                .hasSize(1);
        assertThat(result.get("verdicts")).hasSize(1);
        assertThat(result.get("found")).hasSize(1);
        assertThat(result.findValuesAsText("variant")).hasSize(3).containsOnly("blobs-file");
        assertFollows(result.at("/verdicts/0"), result.at("/runs/0"), result.at("/found/0/demand/0/instances"));
        assertThat(out.toString())
                .contains("First blobs-file once without measuring it")
                .containsPattern("blobs-file, 50 sensors, 1 instance\\(s\\): (yes|no, )");
    }

    private void assertFollows(JsonNode verdict, JsonNode run, JsonNode instances) {
        String why = verdict.path("violation").asText();
        boolean holds = verdict.get("holds").asBoolean();
        if (run.get("verified").asBoolean()) {
            double trend = run.get("backlog_trend_records_per_second").asDouble();
            assertThat(holds).as("%s%n%s%n%s", why, run, out).isEqualTo(trend < LAG_SHARE * 50);
        } else {
            assertThat(run.get("problem").asText()).as("%s", out).matches(NO_FAULT);
            assertThat(why).isEqualTo(run.get("problem").asText());
            assertThat(holds).isFalse();
        }
        assertThat(holds ? instances.asInt() == 1 : instances.isNull())
                .as("%s instances, %s%n%s", instances, why, out)
                .isTrue();
    }
}
