package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Reads batches from a log and counts the reads. Thread-safe. */
public final class MeteredLogReads {
    private final CommitLog log;
    private final ShuffleMetrics metrics;

    /** Counts the reads of a log in the metrics of an instance. */
    public MeteredLogReads(CommitLog log, ShuffleMetrics metrics) {
        this.log = log;
        this.metrics = metrics;
    }

    /** Reads a page, as {@link CommitLog#read} does. Never throws. */
    public CompletionStage<List<SequencedBatch>> read(ReadRequest request) {
        metrics.add(Counter.LOG_PAGES_READ, 1);
        return LogWatch.ask(() -> log.read(request)).thenApply(page -> {
            metrics.add(Counter.LOG_BYTES_READ, LogPage.bytes(page));
            return page;
        });
    }
}
