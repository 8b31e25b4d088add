package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.List;

/** Remembers what executors report. Owned by one test. */
public final class TestApplication implements BlobDirectory.Application {
    final List<BlobId> lost = new ArrayList<>();

    @Override
    public void lost(BlobId blob) {
        lost.add(blob);
    }

    @Override
    public boolean isEnding() {
        return false;
    }
}
