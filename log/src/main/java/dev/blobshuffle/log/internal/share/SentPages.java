package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.PageRefusedException.Reason;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Sends pages of a log to other members. Encoded pages that are being sent share a byte budget.
 * Thread-safe.
 */
final class SentPages implements PeerPages {
    private static final int BUDGET = 32 << 20;

    private final Semaphore budget = new Semaphore(BUDGET);
    private final SharedLog log;

    SentPages(SharedLog log) {
        this.log = log;
    }

    @Override
    public Request read(String text) {
        LogQuestion question = LogQuestion.parse(text);
        return executor -> log.page(question).thenApplyAsync(batches -> encode(question, batches), executor);
    }

    /** Encodes a page, which uses a part of the budget until it is released. */
    private Page encode(LogQuestion question, List<SequencedBatch> batches) {
        int length = PageCodec.longest(question);
        if (!budget.tryAcquire(length)) {
            throw new PageRefusedException(Reason.BUSY);
        }
        byte[] bytes = PageCodec.encode(question.from(), batches);
        budget.release(length - bytes.length);
        return new Page(bytes, () -> budget.release(bytes.length));
    }
}
