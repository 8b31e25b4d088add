package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Connects to the members of a zone that read a log together. Thread-safe; nothing blocks. */
public interface LogPeers {
    /**
     * Requests a page from a member. The stage ends within a bounded time after the member has
     * become silent. It fails with {@link PageRefusedException} if the member refuses, and with any
     * other exception if its answer is invalid. The batches are unchecked, as the member sent them.
     */
    CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question);

    /** Starts to answer other members' questions, if this instance has an endpoint. */
    void answerFrom(SharedLog log);
}
