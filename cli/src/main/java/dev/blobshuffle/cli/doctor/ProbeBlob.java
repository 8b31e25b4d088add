package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A blob that is stored as a test. Its bytes are random, so no layer can compress them. */
@SuppressWarnings("ArrayRecordComponent") // compared by content where it matters
record ProbeBlob(BlobId id, byte[] bytes) {
    /** A blob of the current minute with its own writer id. */
    static ProbeBlob of(int bytes, Time time) {
        byte[] content = new byte[bytes];
        new Random(time.randomLong()).nextBytes(content);
        long minute = time.wallMillis() / TimeUnit.MINUTES.toMillis(1);
        return new ProbeBlob(new BlobId(minute, time.randomLong(), 0), content);
    }

    /** The content to store. */
    BlobContent content() {
        return BlobContent.of(bytes);
    }
}
