package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A part on its way: at a hub, in a put of its own, or in both. The first end that is durable is
 * the result; the result is set once, so no two blobs are announced. The other copy is an orphan,
 * which the sweep deletes.
 *
 * <pre>
 *   HANDED ──answer, right────────────────────────────▶ hub's blob
 *     ├──refused, silent, answer wrong──▶ OWN ────────▶ own blob, or the failure of the own put
 *     ├──no hub there, or a foreign one──▶ HANDED to the next member
 *     └──slow──▶ BOTH ──first end─────────────────────▶ hub's or own blob, or that failure
 * </pre>
 *
 * <p>Thread-safe: the monitor guards the state, and is not held during calls of a store or a hub.
 */
final class SharedPut {
    private final CombiningSink sink;
    private final BlobId id;
    private final BlobLayout layout;
    private final BlobContent content;
    private final CompletableFuture<Placement> result = new CompletableFuture<>();

    /** Guarded by this, like the next field. */
    private boolean hasOwnPut;

    private Time.@Nullable Cancellable timer;

    SharedPut(CombiningSink sink, BlobId id, BlobLayout layout, BlobContent content) {
        this.sink = sink;
        this.id = id;
        this.layout = layout;
        this.content = content;
    }

    CompletionStage<Placement> result() {
        return result;
    }

    /** Hands the part over. Called once. */
    void start(Member hub) {
        content.retain(); // For a put of its own, which may start later.
        var ignored = result.whenComplete((placement, failure) -> ended());
        synchronized (this) {
            timer = sink.time().schedule(sink.patience(), this::isSlow);
        }
        hand(hub);
    }

    private void hand(Member hub) {
        long began = sink.time().nanos();
        CompletionStage<PartAnswer> answer;
        try {
            answer = sink.handOver().to(hub, id, content);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        var ignored = answer.whenComplete((given, failure) -> {
            try {
                if (given != null) {
                    answered(hub, given, sink.time().nanos() - began);
                } else {
                    failed(hub, cause(failure));
                }
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e); // An exception thrown here would be lost.
            }
        });
    }

    private static Throwable cause(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? new IllegalStateException("Cannot combine a blob: it failed without a cause.") : cause;
    }

    private void answered(Member hub, PartAnswer answer, long nanos) {
        Placement placement;
        try {
            placement = answer.placement(layout);
        } catch (BlobCorruptException e) {
            sink.hubs().failed(hub);
            putByItself(Counter.PARTS_MISPLACED);
            return;
        }
        sink.hubs().works(hub);
        sink.answeredAfter(nanos);
        if (result.complete(placement)) {
            sink.count(Counter.PARTS_COMBINED);
            sink.policy().combined(bytes(layout.sections()), bytes(answer.sections()));
        }
    }

    /** Bytes of the segments; sections follow one another from the start of a blob. */
    private static long bytes(List<BlobSection> sections) {
        return sections.get(sections.size() - 1).end();
    }

    private void failed(Member hub, Throwable failure) {
        if (failure instanceof PartRefusedException refused) {
            if (refused.reason() == Reason.NO_HUB || refused.reason() == Reason.FOREIGN) {
                sink.hubs().isNone(hub);
                next();
                return;
            }
            sink.hubs().works(hub);
            putByItself(Counter.PARTS_REFUSED);
        } else if (failure instanceof ClosedException) {
            putByItself(Counter.PARTS_LOST);
        } else if (failure instanceof BlobCorruptException) {
            sink.hubs().failed(hub);
            putByItself(Counter.PARTS_MISPLACED);
        } else {
            sink.hubs().failed(hub);
            putByItself(Counter.PARTS_LOST);
        }
    }

    private void next() {
        Optional<Member> other =
                result.isDone() ? Optional.empty() : sink.hubs().choose(id.owner());
        if (other.isPresent()) {
            hand(other.get());
        } else {
            putByItself(Counter.PARTS_WITHOUT_HUB);
        }
    }

    private void isSlow() {
        putByItself(Counter.PARTS_SLOW);
    }

    /** Starts the put of its own, once, unless the hub's blob is already the result. */
    private void putByItself(Counter reason) {
        synchronized (this) {
            if (hasOwnPut || result.isDone()) {
                return;
            }
            hasOwnPut = true;
            content.retain(); // The result may end now, on another thread.
        }
        sink.count(reason);
        sink.policy().failed(bytes(layout.sections()));
        CompletionStage<Placement> own;
        try {
            own = sink.putByItself(id, layout, content);
        } catch (RuntimeException e) {
            own = CompletableFuture.failedFuture(e);
        }
        content.release();
        var ignored = own.whenComplete((placement, failure) -> {
            if (placement != null) {
                result.complete(placement);
            } else {
                result.completeExceptionally(cause(failure));
            }
        });
    }

    private void ended() {
        synchronized (this) {
            if (timer != null) {
                timer.cancel();
            }
        }
        content.release();
    }
}
