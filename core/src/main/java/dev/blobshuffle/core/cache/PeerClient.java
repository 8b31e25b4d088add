package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.membership.Member;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import java.util.concurrent.CompletionStage;

/** Reads from other members' caches. Thread-safe; nothing blocks. */
public interface PeerClient extends AutoCloseable {
    /**
     * Reads a range from a member, which loads the section if it does not have it, and asks no other member. The stage ends within a bounded time after the member
     * stopped giving signs of life. It fails with {@link dev.blobshuffle.core.failure.StoreUnavailable} when the member is to blame, and otherwise as reading from the
     * store does. What comes is not checked beyond its length.
     */
    CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range);

    /** Ends pending reads with {@code Closed}. Idempotent. */
    @Override
    void close();
}
