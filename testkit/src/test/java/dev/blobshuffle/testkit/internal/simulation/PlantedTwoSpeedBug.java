package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Mistakes that a store of two speeds could contain; the simulation must find each. */
enum PlantedTwoSpeedBug implements Planted {
    /** A readable blob counts as durable. */
    COMMITS_WHAT_IS_READABLE("(committed|answered) records whose blob is not durable", ReadableIsDurable::new),

    /** A blob is announced although the fast store has failed, before the durable one has it. */
    ANNOUNCES_WITHOUT_A_COPY("whose range is not stored|not stored any more", FailuresHidden::new);

    private final Pattern violation;
    private final Supplier<Seams> seams;

    PlantedTwoSpeedBug(String violation, Supplier<Seams> seams) {
        this.violation = Pattern.compile(violation);
        this.seams = seams;
    }

    /** The seams of one schedule. */
    Seams seams() {
        return seams.get();
    }

    @Override
    public Pattern violation() {
        return violation;
    }

    private static final class ReadableIsDurable implements Seams {
        @Override
        public BlobSink sink(BlobSink sink, BlobStore store) {
            return new BlobSink() {
                @Override
                public CompletionStage<Placement> put(BlobId id, BlobLayout layout, BlobContent content) {
                    return put(id, layout, content, readable -> {});
                }

                @Override
                public CompletionStage<Placement> put(
                        BlobId id, BlobLayout layout, BlobContent content, Consumer<Placement> whenReadable) {
                    CompletableFuture<Placement> first = new CompletableFuture<>();
                    var ignored = sink.put(id, layout, content, first::complete).whenComplete((placement, failure) -> {
                        if (failure == null) {
                            first.complete(placement);
                        } else {
                            first.completeExceptionally(failure);
                        }
                    });
                    return first;
                }
            };
        }
    }

    private static final class FailuresHidden implements Seams {
        @Override
        public BlobStore fastStore(BlobStore store) {
            return new ForwardingBlobStore(store) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    return super.put(id, content).exceptionally(failure -> null);
                }
            };
        }
    }
}
