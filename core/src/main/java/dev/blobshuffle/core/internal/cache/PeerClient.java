package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.util.concurrent.CompletionStage;

/** Reads from other members' caches. Thread-safe; nothing blocks. */
public interface PeerClient extends AutoCloseable {
    /**
     * Reads a range from a member. The member loads the section if it does not have it, and asks no
     * other member. The stage ends within a bounded time after the member has gone silent. It fails
     * with {@link dev.blobshuffle.core.failure.StoreUnavailableException} if the member caused the
     * failure, and otherwise as a read from the store does. Only the length of the answer is
     * checked.
     */
    CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range);

    /** Ends pending reads with {@code ClosedException}. Idempotent. */
    @Override
    void close();
}
