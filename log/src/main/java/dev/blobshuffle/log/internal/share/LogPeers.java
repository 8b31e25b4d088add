package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The way to the members of a zone that read a log together. Thread-safe; nothing blocks. */
public interface LogPeers {
    /**
     * Asks a member for a page. The stage ends within a bounded time after the member has gone
     * silent. It fails with {@link PageRefused} if the member refuses, and in any other way if the
     * member does not answer properly. The batches are as the member sent them: not checked.
     */
    CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question);

    /** Answers the questions of others from now on, if this instance answers others at all. */
    void answerFrom(SharedLog log);
}
