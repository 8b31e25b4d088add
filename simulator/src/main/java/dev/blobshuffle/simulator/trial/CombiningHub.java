package dev.blobshuffle.simulator.trial;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.engine.SinkOpening;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The hub of a zone in a {@link ModelledRun}, and the network to it. Its engine is the zone's
 * cache: it opens the hub when it opens its sink. Guarded by the simulation's baton.
 */
final class CombiningHub implements SinkOpening {
    /** The owner of all blobs: blobs without an owner are not combined. */
    static final int OWNER = 7;

    /** One way between an instance and the hub. */
    static final Duration NETWORK = Duration.ofMillis(1);

    private static final int PORT = 7400;
    private static final long BUFFER = 1L << 30;

    private final Zone zone;
    private final SimulatedProcess process;
    private final CombineOptions options;
    private final Member member;
    private @Nullable Hub hub;

    /**
     * @param blobBytes the size of a combined blob; larger blobs are not handed over
     */
    CombiningHub(Zone zone, long blobBytes, SimulatedProcess process) {
        this.zone = zone;
        this.process = process;
        options = CombineOptions.of(blobBytes, blobBytes, BUFFER);
        long id = BlobId.writer(process.randomLong());
        member = new Member(id, new Endpoint("hub-" + zone.name(), PORT), zone, Set.of(), Footer.VERSION);
    }

    /** A store that permits to store for {@link #OWNER}. */
    BlobStore store(BlobStore store) {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Integer> owner() {
                return CompletableFuture.completedFuture(OWNER);
            }
        };
    }

    @Override
    public BlobSink open(Own own) {
        hub = new Hub(
                own.store(),
                options,
                process,
                new ShuffleMetrics(process),
                Hub.Names.beside(own.writer()),
                owner -> owner == OWNER);
        return new StoreSink(own.store());
    }

    @Override
    public void close() {
        if (hub != null) {
            hub.close();
        }
    }

    /** The sink of an instance that hands its blobs to this hub. */
    SinkOpening contributor(int number, SimulatedProcess instance, ShuffleMetrics metrics) {
        Hubs hubs = new Hubs(new FixedZoneMap(List.of(member)), zone, number, Optional.empty(), instance);
        return own -> new CombiningSink(
                new StoreSink(own.store()), own.store(), handOver(instance), hubs, options, instance, metrics);
    }

    private HandOver handOver(SimulatedProcess instance) {
        return (to, id, part) -> {
            CompletableFuture<PartAnswer> answer = new CompletableFuture<>();
            ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(part.length()));
            part.buffers().forEach(copy::put);
            copy.flip();
            process.schedule(NETWORK, () -> {
                var ignored = take(id, copy)
                        .whenComplete((given, failure) -> instance.schedule(NETWORK, () -> {
                            if (given != null) {
                                answer.complete(given);
                            } else {
                                answer.completeExceptionally(cause(failure));
                            }
                        }));
            });
            return answer;
        };
    }

    private CompletionStage<PartAnswer> take(BlobId id, ByteBuffer part) {
        Hub open = Objects.requireNonNull(hub);
        return open.reserve(part.remaining())
                ? open.take(id, part, () -> {})
                : CompletableFuture.failedFuture(
                        new PartRefusedException(Reason.BUSY, "Cannot combine blob " + id + ": full. It is stored."));
    }

    private static Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : Objects.requireNonNull(failure);
    }
}
