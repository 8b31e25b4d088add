package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;

/** Opens the sink of an engine's blobs. */
@FunctionalInterface
public interface SinkOpening extends AutoCloseable {
    /** Each blob is stored by itself. */
    SinkOpening STORE = own -> new StoreSink(own.store());

    /** Opens the sink. Called once. */
    BlobSink open(Own own);

    /**
     * Whether the instance combines its blobs, and why or why not; empty if it is not asked to, or
     * has not decided. Changes while it runs.
     */
    default Optional<CombiningDecision> combining() {
        return Optional.empty();
    }

    /** Ends what the sink needs. Called after the last upload has ended. Idempotent. */
    @Override
    default void close() {}

    /**
     * The parts of an engine that a sink uses.
     *
     * @param store the engine's store, with its caches
     * @param writer the writer in the ids of its blobs
     * @param self the instance as a member of its zone; empty if it does not answer others
     */
    record Own(BlobStore store, long writer, Optional<Member> self) {}
}
