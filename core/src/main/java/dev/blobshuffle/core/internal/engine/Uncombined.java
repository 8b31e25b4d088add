package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import java.util.Optional;

/**
 * Each blob is stored by itself, for a reason.
 *
 * @param reason why the instance never combines its blobs
 */
record Uncombined(CombiningDecision reason) implements SinkOpening {
    @Override
    public BlobSink open(Own own) {
        return new StoreSink(own.store());
    }

    @Override
    public Optional<CombiningDecision> combining() {
        return Optional.of(reason);
    }
}
