package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;

/** Results for tests, of a single cell where no other is given. */
final class Results {
    private Results() {}

    static RunResult of(Variant variant, int repetition, double seconds, double cpu, double compilers) {
        return RunResults.of(RunResults.ONLY, variant, repetition, seconds, cpu, compilers);
    }

    static RunResult of(Cell cell, Variant variant, int repetition, double seconds) {
        return RunResults.of(cell, variant, repetition, seconds, 4, 0);
    }
}
