package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.write.deliver.PendingAnswers;
import dev.blobshuffle.log.internal.publish.Acknowledgements;
import java.util.List;

/** Completes publishes with the outcome of their records. Thread-safe. */
final class Promises implements Acknowledgements {
    private final PendingAnswers<Promise> pending;

    Promises(PendingAnswers<Promise> pending) {
        this.pending = pending;
    }

    @Override
    public Taken take(Partition partition, int records) {
        List<Promise> taken = pending.take(partition, records);
        return new Taken() {
            @Override
            public void committed() {
                pending.answer(taken.size(), () -> taken.forEach(Promise::keep));
            }

            @Override
            public void failed(RuntimeException cause) {
                pending.fail(taken, cause);
            }
        };
    }

    @Override
    public void failed(RuntimeException cause) {
        pending.failWaiting(cause);
    }
}
