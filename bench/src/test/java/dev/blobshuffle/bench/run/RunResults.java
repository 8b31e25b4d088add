package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.workload.RecordProbe;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** Results for the tests of other packages: a GiB in a million records. */
public final class RunResults {
    /** The cell of plans without a sweep. */
    public static final Cell ONLY = Cell.only(Parameters.defaults());

    private RunResults() {}

    /** A run; latencies are 1 to 1,000 ms times its seconds, evenly. */
    public static RunResult of(
            Cell cell, Variant variant, int repetition, double seconds, double cpu, double compilers) {
        Histogram latencies = RecordProbe.histogram();
        for (int i = 1; i <= 1000; i++) {
            latencies.recordValue(Math.round(i * 1000 * seconds));
        }
        return new RunResult(
                "shuffle",
                variant,
                cell,
                repetition,
                new RunResult.Window(
                        seconds,
                        1 << 20,
                        1 << 30,
                        new CpuTime(cpu + compilers, Map.of("C CompilerThre", compilers)),
                        new CpuTime(cpu, Map.of()),
                        CpuTime.NONE,
                        true),
                new Measured(
                        1 << 20,
                        0,
                        new Measured.Latencies(latencies, RecordProbe.histogram(), RecordProbe.histogram()),
                        variant.hasBlobs()
                                ? Map.of("puts", 64.0, "gets", 128.0, "blobs-stored", 64.0, "blob-bytes-stored", 0x1p30)
                                : Map.of()),
                List.of(new Sample(0, 0, 0), new Sample(1, 1, 5), new Sample(2, 2, 10)),
                Optional.empty());
    }

    /** The same run, but for CPU time that nobody knows: a process was killed. */
    public static RunResult withKills(RunResult run) {
        RunResult.Window window = run.window();
        return new RunResult(
                run.workload(),
                run.variant(),
                run.cell(),
                run.repetition(),
                new RunResult.Window(
                        window.seconds(),
                        window.records(),
                        window.bytes(),
                        CpuTime.UNKNOWN,
                        CpuTime.UNKNOWN,
                        window.store(),
                        window.hasLatency()),
                run.measured(),
                run.samples(),
                run.problem());
    }

    /** The same run, but for its backlog, which grows by as many records in each second. */
    public static RunResult withBacklog(RunResult run, long recordsPerSecond) {
        return new RunResult(
                run.workload(),
                run.variant(),
                run.cell(),
                run.repetition(),
                run.window(),
                run.measured(),
                List.of(
                        new Sample(0, 0, 0),
                        new Sample(1, 0, recordsPerSecond),
                        new Sample(2, 0, 2 * recordsPerSecond)),
                run.problem());
    }

    /** The same run, but for its output. */
    public static RunResult wrong(RunResult run) {
        return new RunResult(
                run.workload(),
                run.variant(),
                run.cell(),
                run.repetition(),
                run.window(),
                run.measured(),
                run.samples(),
                Optional.of("records: 2 expected, 1 found"));
    }
}
