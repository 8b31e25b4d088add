package dev.blobshuffle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two result files say of each other. */
class ResultDiffTest {
    @TempDir
    private Path directory;

    private ResultFile file(String name, double... throughputs) throws IOException {
        StringBuilder runs = new StringBuilder();
        for (double throughput : throughputs) {
            runs.append(runs.isEmpty() ? "" : ",")
                    .append("{\"workload\":\"shuffle\",\"variant\":\"native\",\"varied\":{\"instances\":\"2\"},")
                    .append("\"latency_ms\":{\"p50\":null},\"throughput_bytes_per_second\":")
                    .append(throughput)
                    .append('}');
        }
        return ResultFile.read(Files.writeString(directory.resolve(name), "{\"runs\":[" + runs + "]}"));
    }

    @Test
    void changeCountsOnlyWhereRepetitionsDoNotOverlap() throws Exception {
        ResultFile before = file("a", 100, 110, 120);

        ResultDiff worse = ResultDiff.of(before, file("b", 50, 55, 60));
        assertThat(worse.worseBy(50)).hasSize(1);
        assertThat(worse.table()).contains("shuffle native instances=2", "x 0.500  *");
        assertThat(ResultDiff.of(before, file("c", 50, 115, 200)).worseBy(0)).isEmpty();
        assertThat(ResultDiff.of(before, file("d", 200, 220, 240)).worseBy(0)).isEmpty();
    }

    @Test
    void numbersAreWrittenOut() throws Exception {
        String table = ResultDiff.of(file("a", 123_456_789, 123_456_999), file("b", 1.5))
                .table();

        assertThat(table).containsPattern("123,456,894 .123,456,789 to 123,456,999. +1.500 +x");
    }

    @Test
    void fileWithoutRunsIsRefused() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty"), "{}");

        assertThatThrownBy(() -> ResultFile.read(empty)).hasMessageContaining("no runs");
    }
}
