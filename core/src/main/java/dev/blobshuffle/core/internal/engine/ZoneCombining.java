package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Combines the small blobs of an instance by the hubs of its zone, and is a hub if set. */
final class ZoneCombining implements SinkOpening {
    private final Settings settings;
    private final ZoneMap members;
    private final PeerNetwork network;
    private final ShuffleMetrics metrics;
    private final Time time;
    private Optional<Hub> hub = Optional.empty();

    ZoneCombining(Settings settings, ZonePeers peers, ShuffleMetrics metrics, Time time) {
        this.settings = settings;
        this.members = peers.members();
        this.network = peers.network();
        this.metrics = metrics;
        this.time = time;
    }

    /** The options of an instance's Batcher: instances that combine seal at the same instants. */
    static BatcherOptions batching(Settings settings, BatcherOptions options) {
        return settings.value(CombineSettings.ENABLED) ? options.aligned() : options;
    }

    @Override
    public BlobSink open(Own own) {
        CombineOptions options = CombineOptions.of(settings);
        if (settings.value(CombineSettings.SERVE)) {
            Hub opened = new Hub(
                    own.store(),
                    options,
                    time,
                    metrics,
                    Hub.Names.beside(own.writer()),
                    owner -> mayStore(own.store(), owner));
            network.combineBy(opened);
            hub = Optional.of(opened);
        }
        StoreSink byItself = new StoreSink(own.store());
        if (!settings.value(CombineSettings.ENABLED)) {
            return byItself;
        }
        Optional<Member> self = own.self().map(this::listed);
        Hubs hubs = new Hubs(
                members,
                settings.zone(),
                self.map(Member::id).orElse(own.writer()),
                hub.isPresent() ? self : Optional.empty(),
                time);
        return new CombiningSink(byItself, own.store(), handOver(self), hubs, options, time, metrics);
    }

    /** This instance as a fixed list names it, so that all members know it under one id. */
    private Member listed(Member self) {
        return members.members().stream()
                .filter(member -> member.endpoint().equals(self.endpoint()))
                .findFirst()
                .orElse(self);
    }

    private static boolean mayStore(BlobStore store, int owner) {
        CompletableFuture<Integer> own = store.owner().toCompletableFuture();
        return own.isDone() && !own.isCompletedExceptionally() && own.join() == owner;
    }

    private HandOver handOver(Optional<Member> self) {
        HandOver others = network.handOver();
        if (self.isEmpty() || hub.isEmpty()) {
            return others;
        }
        Hub own = hub.get();
        long id = self.get().id();
        return (member, blob, part) -> member.id() == id ? handOver(own, blob, part) : others.to(member, blob, part);
    }

    /** Hands a part to this instance's own hub. The hub may need the bytes for longer. */
    private static CompletionStage<PartAnswer> handOver(Hub own, BlobId id, BlobContent part) {
        int length = Math.toIntExact(part.length());
        if (!own.reserve(length)) {
            return CompletableFuture.failedFuture(new PartRefusedException(
                    Reason.BUSY, "Cannot combine blob " + id + ": the hub's memory is full. It is stored by itself."));
        }
        ByteBuffer copy = ByteBuffer.allocate(length);
        part.buffers().forEach(copy::put);
        return own.take(id, copy.flip(), () -> {});
    }

    @Override
    public void close() {
        hub.ifPresent(Hub::close);
    }
}
