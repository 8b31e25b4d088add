package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuPerRecordTest {
    private final RunResult run = RunResults.of(RunResults.ONLY, Variant.NATIVE, 0, 1, 1, 0);

    @Test
    void showsTheMedianOfRunsWithTheRightOutput() {
        CpuPerRecord cpu = new CpuPerRecord();
        cpu.add("native, defaults", 300, List.of(run, run, RunResults.wrong(run)));
        cpu.add("native, defaults", 600, List.of(RunResults.wrong(run)));
        double micros = 1e6
                * (run.window().application().work() + run.window().brokers().work())
                / run.window().records();
        String number = String.valueOf(Math.round(micros));
        assertThat(cpu.lines())
                .singleElement()
                .asString()
                .startsWith("native, defaults ")
                .endsWith("  300: " + number + " (" + number + "-" + number + ")  600: none");
    }
}
