package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Testbed;
import dev.blobshuffle.bench.run.Variant;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Whole searches, from the command line to the files, over scripted runs: an instance carries 100
 * records per second natively and 60 through blobs, and the backlog grows by the rest.
 */
class SearchCommandTest {
    private static final Map<Variant, Long> CARRIED = Map.of(Variant.NATIVE, 100L, Variant.BLOBS_FILE, 60L);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<String> happened = new ArrayList<>();

    @TempDir
    private Path directory;

    /** What a run gives instead of what its numbers say. */
    private interface Disturbance {
        RunResult of(RunResult run) throws IOException;
    }

    private int search(Disturbance disturbance, String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "uc3",
                "--variants=native,blobs-file",
                "--load-kind=sensors",
                "--loads=50,100,150",
                "--instances=1,2",
                "--repetitions=1",
                "--memory=" + directory,
                "--directory=" + directory));
        all.addAll(List.of(arguments));
        return new CommandLine(new SearchCommand((plan, replication, progress) -> {
                    happened.add("open " + replication);
                    return new Scripted(disturbance);
                }))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(String[]::new));
    }

    @Test
    void demandGoesFromTheRunsToEveryFile() throws Exception {
        Path json = directory.resolve("search.json");
        Path csv = directory.resolve("search.csv");
        Path report = directory.resolve("search.html");
        Path plots = directory.resolve("plots");
        Path theodolite = directory.resolve("theodolite");

        int status = search(
                run -> run,
                "--json=" + json,
                "--csv=" + csv,
                "--report=" + report,
                "--plots=" + plots,
                "--theodolite=" + theodolite);

        assertThat(status).as("%s%s", out, err).isZero();
        assertThat(happened)
                .containsExactly(
                        "open 1",
                        "warm-up native 150/1",
                        "warm-up blobs-file 150/1",
                        "native 50/1",
                        "native 100/1",
                        "native 150/1",
                        "native 150/2",
                        "blobs-file 50/1",
                        "blobs-file 100/1",
                        "blobs-file 100/2",
                        "blobs-file 150/1",
                        "blobs-file 150/2",
                        "close");
        assertThat(out.toString())
                .contains("Demand: instances by sensors")
                .containsPattern("native +50: 1  100: 1  150: 2\\R")
                .containsPattern("blobs-file +50: 1  100: 2  150: none\\R")
                .contains("native, 150 sensors, 2 instance(s): yes")
                .contains("blobs-file, 150 sensors, 2 instance(s): no, the backlog grows by 30.0 records/s");
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.get("found"))
                .hasToString("["
                        + "{\"variant\":\"native\",\"demand\":[{\"load\":50,\"instances\":1},"
                        + "{\"load\":100,\"instances\":1},{\"load\":150,\"instances\":2}]},"
                        + "{\"variant\":\"blobs-file\",\"demand\":[{\"load\":50,\"instances\":1},"
                        + "{\"load\":100,\"instances\":2},{\"load\":150,\"instances\":null}]}]");
        assertThat(result.get("verdicts")).hasSize(9);
        assertThat(result.at("/verdicts/8"))
                .hasToString("{\"variant\":\"blobs-file\",\"load\":150,\"instances\":2,\"holds\":false,"
                        + "\"violation\":\"the backlog grows by 30.0 records/s, allowed is less than 1.5\"}");
        assertThat(result.get("runs")).hasSize(9);
        assertThat(result.at("/search/loads")).hasToString("[50,100,150]");
        assertThat(Files.readAllLines(csv)).hasSize(1 + 9);
        assertThat(plots.resolve("demand.svg")).content().contains("native", "blobs-file", "sensors");
        assertThat(plots.resolve("cpu-per-record.svg")).content().contains("microseconds per record");
        assertThat(report).content().contains("BlobShuffle: demand of uc3", "--loads=50,100,150", "<svg");
        assertThat(theodolite.resolve("exp0_demand.csv")).hasContent("load,resources\n50,1\n100,1\n150,2\n");
        assertThat(theodolite.resolve("exp1_demand.csv")).hasContent("load,resources\n50,1\n100,2\n150,null\n");
    }

    @Test
    void capacityIsTheLargestLoad() throws Exception {
        Path json = directory.resolve("search.json");

        int status = search(run -> run, "--metric=capacity", "--json=" + json, "--plots=" + directory.resolve("plots"));

        assertThat(status).as("%s%s", out, err).isZero();
        assertThat(new ObjectMapper().readTree(json.toFile()).get("found"))
                .hasToString("["
                        + "{\"variant\":\"native\",\"capacity\":[{\"instances\":1,\"load\":100},"
                        + "{\"instances\":2,\"load\":150}]},"
                        + "{\"variant\":\"blobs-file\",\"capacity\":[{\"instances\":1,\"load\":50},"
                        + "{\"instances\":2,\"load\":100}]}]");
        assertThat(directory.resolve("plots/capacity.svg")).exists();
    }

    /** Fewer records are a small backlog, too: a system must not win by losing some. */
    @Test
    void wrongOutputIsNoDemandAndSaysWhy() throws Exception {
        Path json = directory.resolve("search.json");

        int status = search(RunResults::wrong, "--json=" + json);

        assertThat(status).as("%s%s", out, err).isZero();
        assertThat(out.toString())
                .containsPattern("native +50: none  100: none  150: none\\R")
                .contains("native, 50 sensors, 1 instance(s): no, records: 2 expected, 1 found");
        assertThat(new ObjectMapper().readTree(json.toFile()).findValuesAsText("violation"))
                .hasSize(12)
                .containsOnly("records: 2 expected, 1 found");
    }

    @Test
    void testbedThatFailsFailsTheCommandAndIsClosed() {
        int status = search(run -> {
            throw new IOException("Cannot go on: no broker answers.");
        });

        assertThat(status).isEqualTo(1);
        assertThat(err.toString()).contains("Cannot go on: no broker answers.");
        assertThat(happened).endsWith("close");
        assertThat(directory).isEmptyDirectory();
    }

    private final class Scripted implements Testbed {
        private final Disturbance disturbance;

        Scripted(Disturbance disturbance) {
            this.disturbance = disturbance;
        }

        @Override
        public RunResult runUnmeasured(Cell cell, Variant variant) throws IOException {
            return run(cell, variant, "warm-up ");
        }

        @Override
        public RunResult run(Cell cell, Variant variant, int repetition) throws IOException {
            return run(cell, variant, "");
        }

        private RunResult run(Cell cell, Variant variant, String kind) throws IOException {
            long rate = cell.parameters().number(Parameter.RATE);
            long instances = cell.parameters().number(Parameter.INSTANCES);
            happened.add(kind + variant.label() + " " + rate + "/" + instances);
            long carried = Optional.ofNullable(CARRIED.get(variant)).orElseThrow() * instances;
            RunResult run = RunResults.of(cell, variant, 0, 1, 1, 0);
            return disturbance.of(RunResults.withBacklog(run, Math.max(0, rate - carried)));
        }

        @Override
        public void close() {
            happened.add("close");
        }
    }
}
