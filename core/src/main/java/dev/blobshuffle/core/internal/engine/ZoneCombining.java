package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.combine.AutoCombining;
import dev.blobshuffle.core.internal.combine.CombineMode;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.combine.CombiningPolicy;
import dev.blobshuffle.core.internal.combine.CombiningRule;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
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
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Combines the small blobs of an instance by the hubs of its zone, and is a hub if set. */
final class ZoneCombining implements SinkOpening {
    private static final Logger LOG = LoggerFactory.getLogger(ZoneCombining.class);

    private final Settings settings;
    private final ZoneMap members;
    private final PeerNetwork network;
    private final ShuffleMetrics metrics;
    private final Time time;
    private final ShuffleMetrics.Registration gauge;
    private Optional<Hub> hub = Optional.empty();

    /** The decision that operators see; empty until it is known. */
    private volatile Optional<CombiningDecision> decision;

    /** Whether parts are handed over now. */
    private volatile BooleanSupplier isOn;

    ZoneCombining(Settings settings, ZonePeers peers, ShuffleMetrics metrics, Time time) {
        this.settings = settings;
        this.members = peers.members();
        this.network = peers.network();
        this.metrics = metrics;
        this.time = time;
        Optional<CombiningDecision> excluded = CombiningChecks.excluded(settings);
        boolean isFixed = settings.value(CombineSettings.ENABLED) != CombineMode.AUTO;
        decision = isFixed ? Optional.of(excluded.orElse(CombiningDecision.ON)) : excluded;
        boolean isOnFromStart = isFixed && excluded.isEmpty();
        isOn = () -> isOnFromStart;
        gauge = metrics.report(Gauge.COMBINING, () -> isOn.getAsBoolean() ? 1 : 0);
    }

    /** Logs a decision of an instance that decides itself. */
    static void log(CombiningDecision decision) {
        LOG.info(
                "combine.enabled=auto: small blobs are {}combined with those of other instances: {}.",
                decision.isOn() ? "" : "not ",
                decision.reason());
    }

    /** The options of an instance's Batcher: instances that combine seal at the same instants. */
    static BatcherOptions batching(Settings settings, BatcherOptions options) {
        return CombiningChecks.excluded(settings).isEmpty() ? options.aligned() : options;
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
        if (CombiningChecks.excluded(settings).isPresent()) {
            return byItself;
        }
        Optional<Member> self = own.self().map(this::listed);
        Hubs hubs = new Hubs(
                members,
                settings.zone(),
                self.map(Member::id).orElse(own.writer()),
                hub.isPresent() ? self : Optional.empty(),
                time);
        return new CombiningSink(
                byItself, own.store(), handOver(self), hubs, options, policy(options, hubs), time, metrics);
    }

    private CombiningPolicy policy(CombineOptions options, Hubs hubs) {
        if (settings.value(CombineSettings.ENABLED) == CombineMode.TRUE) {
            return CombiningPolicy.ALWAYS;
        }
        AutoCombining auto = new AutoCombining(
                CombiningRule.of(options), inlining(settings), hubs::isAnyUsable, time, this::decided);
        isOn = () -> auto.decision().isOn();
        return auto;
    }

    /**
     * A size that the user has set stays. Without a delay, small batches are inlined to save
     * processor time and not requests.
     */
    private static AutoCombining.Inlining inlining(Settings settings) {
        boolean isFixed = settings.isGiven(WriteSettings.INLINE_MAX_BYTES)
                || settings.value(WriteSettings.BATCH_MAX_DELAY).isZero();
        return isFixed ? AutoCombining.Inlining.FIXED : AutoCombining.Inlining.SHARED;
    }

    private void decided(CombiningDecision next) {
        decision = Optional.of(next);
        log(next);
    }

    @Override
    public Optional<CombiningDecision> combining() {
        return decision.filter(known -> known != CombiningDecision.DISABLED);
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
        gauge.close();
        hub.ifPresent(Hub::close);
    }
}
