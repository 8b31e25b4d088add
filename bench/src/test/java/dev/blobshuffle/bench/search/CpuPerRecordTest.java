package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CpuPerRecordTest {
    private static final Cell DEFAULTS = new Cell(Map.of("option", "defaults"), RunResults.ONLY.parameters());
    private static final Cell STANDBY = new Cell(Map.of("option", "standby-replicas=1"), DEFAULTS.parameters());

    private final RunResult cheap = RunResults.of(RunResults.ONLY, Variant.NATIVE, 0, 1, 1, 0);
    private final RunResult usual = RunResults.of(RunResults.ONLY, Variant.NATIVE, 1, 1, 2, 0);
    private final RunResult dear = RunResults.of(RunResults.ONLY, Variant.NATIVE, 2, 1, 4, 0);
    private final CpuPerRecord cpu = new CpuPerRecord();

    @Test
    void showsTheMedianOfRunsWithTheRightOutput() {
        cpu.add(Variant.NATIVE, DEFAULTS, 300, 1, List.of(dear, cheap, usual, RunResults.wrong(dear)));
        cpu.add(Variant.NATIVE, DEFAULTS, 600, 1, List.of(RunResults.wrong(usual)));
        assertThat(cpu.lines())
                .singleElement()
                .asString()
                .startsWith("native, defaults ")
                .endsWith("  300: " + text(usual) + " (" + text(cheap) + "-" + text(dear) + ")  600: none");
    }

    @Test
    void keepsNumbersOfInstancesApart() {
        cpu.add(Variant.NATIVE, RunResults.ONLY, 300, 1, List.of(cheap));
        cpu.add(Variant.NATIVE, RunResults.ONLY, 300, 2, List.of(dear));
        cpu.add(Variant.NATIVE, DEFAULTS, 300, 2, List.of(dear));
        assertThat(cpu.lines())
                .extracting(line -> line.substring(0, line.indexOf("  ")))
                .containsExactly("native, 1 instance", "native, 2 instances", "native, defaults, 2 instances");
    }

    @Test
    void drawsBarsOverLoadsWithoutOptions() {
        cpu.add(Variant.NATIVE, RunResults.ONLY, 300, 1, List.of(cheap, usual, dear));
        cpu.add(Variant.NATIVE, RunResults.ONLY, 600, 1, List.of(usual));
        cpu.add(Variant.BLOBS_FILE, RunResults.ONLY, 300, 1, List.of(cheap));
        Chart chart = cpu.chart("sensors");
        assertThat(chart.x().title()).isEqualTo("sensors");
        assertThat(chart.x().categories()).containsExactly("300", "600");
        assertThat(chart.series()).extracting(Series::name).containsExactly("native", "blobs-file");
        Series.Point first = chart.series().get(0).points().get(0);
        assertThat(first.x()).isZero();
        assertThat(List.of(first.low(), first.y(), first.high()))
                .usingComparatorForType((one, other) -> Math.abs(one - other) < 1e-6 ? 0 : 1, Double.class)
                .containsExactly(micros(cheap), micros(usual), micros(dear));
        assertThat(chart.series().get(0).points().get(1).x()).isOne();
        assertThat(chart.series().get(1).points())
                .singleElement()
                .satisfies(point -> assertThat(point.y()).isCloseTo(micros(cheap), within(1e-6)));
    }

    @Test
    void drawsBarsOverOptions() {
        for (Cell cell : List.of(DEFAULTS, STANDBY)) {
            cpu.add(Variant.NATIVE, cell, 300, 1, List.of(cheap));
            cpu.add(Variant.BLOBS_FILE, cell, 300, 1, List.of(RunResults.wrong(cheap)));
        }
        cpu.add(Variant.NATIVE, STANDBY, 600, 1, List.of(dear));
        Chart chart = cpu.chart("sensors");
        assertThat(chart.x().categories()).containsExactly("defaults", "standby-replicas=1");
        assertThat(chart.series())
                .extracting(Series::name)
                .containsExactly("native, 300 sensors", "blobs-file, 300 sensors", "native, 600 sensors");
        assertThat(chart.series().get(1).points()).as("none of them was right").isEmpty();
        assertThat(chart.series().get(2).points())
                .singleElement()
                .satisfies(
                        point -> assertThat(point.x()).as("the second option").isOne());
    }

    private static double micros(RunResult run) {
        double seconds =
                run.window().application().work() + run.window().brokers().work();
        return 1e6 * seconds / run.window().records();
    }

    private static String text(RunResult run) {
        return String.valueOf(Math.round(micros(run)));
    }
}
