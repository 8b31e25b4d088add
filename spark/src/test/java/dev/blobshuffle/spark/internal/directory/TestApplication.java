package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.List;

/** Remembers what executors report. Owned by one test. */
public final class TestApplication implements BlobDirectory.Application {
    final List<BlobId> lost = new ArrayList<>();
    boolean ends;
    final List<String> usages = new ArrayList<>();

    @Override
    public void lost(BlobId blob) {
        lost.add(blob);
    }

    @Override
    public void used(String executor, Usage usage) {
        usages.add(executor + " " + usage.requests());
    }

    @Override
    public boolean isEnding() {
        return ends;
    }
}
