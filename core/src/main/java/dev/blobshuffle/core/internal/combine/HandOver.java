package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import java.util.concurrent.CompletionStage;

/** Hands parts to hubs. Thread-safe. No method blocks its caller for I/O. */
@FunctionalInterface
public interface HandOver {
    /**
     * Hands a part to a member. The stage fails with {@link PartRefusedException} if the member
     * refuses it, with {@link dev.blobshuffle.core.failure.BlobCorruptException} if its answer is
     * damaged, and with another failure if the member is silent for 500 ms.
     *
     * @param id the part's own id
     * @param part its bytes; held ({@link BlobContent#retain()}) for as long as they are read
     */
    CompletionStage<PartAnswer> to(Member hub, BlobId id, BlobContent part);
}
