package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenReceiving;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerCircuits;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store behind the caches of a whole zone (the BlobShuffle paper, section 3.3, "distributed
 * cache"). A read first looks into the caches of this instance. Then it asks the section's owner in
 * the zone ({@link SectionOwners}), which downloads each section once for all members. If that
 * fails, the read goes to the store.
 *
 * <p>If an owner fails or is silent, reads skip it for a while, and the next member in order owns
 * its sections. Members with different views may choose different owners; the only effect is that a
 * section is downloaded more than once. An asked member answers from its own caches and from the
 * store. It never asks another member, so requests cannot run in circles. Readers verify the
 * checksums of all bytes, also of those from other members. After a mismatch, the repeated read
 * goes to the store only and counts as a failure of the owner. Thread-safe.
 */
public final class ZoneCachedBlobStore extends ForwardingBlobStore {
    private final CachedBlobStore local;
    private final Zone zone;
    private final long self;
    private final ZoneMap members;
    private final PeerClient peers;
    private final ShuffleMetrics metrics;
    private final PeerCircuits circuits;
    private final WhenReceiving whenReceiving;

    /** The version of the members whose zones {@link #showZones} has shown. */
    private volatile long shownVersion;

    /** The caches of a zone, seen from one member that does not keep bytes from others. */
    public ZoneCachedBlobStore(
            CachedBlobStore local,
            Zone zone,
            long self,
            ZoneMap members,
            PeerClient peers,
            Time time,
            ShuffleMetrics metrics) {
        this(local, zone, self, members, peers, time, metrics, WhenReceiving.FORGET);
    }

    /**
     * The caches of a zone, seen from one member.
     *
     * @param local the store with the member's own caches, which also answer other members
     * @param zone the member's zone
     * @param self the member's id, whether or not it is among the members
     * @param whenReceiving whether the member's own caches keep bytes that others sent
     */
    public ZoneCachedBlobStore(
            CachedBlobStore local,
            Zone zone,
            long self,
            ZoneMap members,
            PeerClient peers,
            Time time,
            ShuffleMetrics metrics,
            WhenReceiving whenReceiving) {
        super(local);
        this.local = local;
        this.zone = zone;
        this.self = self;
        this.members = members;
        this.peers = peers;
        this.metrics = metrics;
        this.whenReceiving = whenReceiving;
        circuits = new PeerCircuits(time);
        shownVersion = members.version();
        showZones();
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        return store().put(id, content, whenReadable);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        showNewZones();
        if (range.isAfresh()) {
            blame(id, range);
            return local.get(id, range);
        }
        Optional<CompletionStage<BlobBytes>> here = local.cached(id, range);
        if (here.isPresent()) {
            return here.get();
        }
        Optional<Member> owner = SectionOwners.owner(members.members(zone), id, range.sectionOffset(), this::isUsable);
        if (owner.isEmpty() || owner.get().id() == self) {
            return local.get(id, range);
        }
        return whenReceiving == WhenReceiving.KEEP
                ? local.getBy(new AskedMember(owner.get()), id, range)
                : ask(owner.get(), id, range);
    }

    /**
     * Registers a counter for each zone, starting at 0, so that users can see that no bytes come
     * from other zones.
     */
    private void showZones() {
        metrics.flows().show(Flow.between(zone, zone));
        members.members().forEach(member -> metrics.flows().show(Flow.between(member.zone(), zone)));
    }

    private void showNewZones() {
        long version = members.version();
        if (version != shownVersion) {
            shownVersion = version;
            showZones();
        }
    }

    private boolean isUsable(Member member) {
        boolean isUsable = member.id() == self || circuits.allows(member.id());
        if (!isUsable) {
            metrics.add(Counter.CACHE_ZONE_BYPASSES, 1);
        }
        return isUsable;
    }

    /**
     * Counts a failure of a section's owner, after wrong bytes or no answer. If another member
     * answered, the wrongly counted failure costs the current owner little.
     */
    private void blame(BlobId id, BlobRange range) {
        SectionOwners.owner(
                        members.members(zone),
                        id,
                        range.sectionOffset(),
                        member -> member.id() == self || !circuits.isLeftAlone(member.id()))
                .filter(owner -> owner.id() != self)
                .ifPresent(owner -> failed(owner, null));
    }

    private CompletionStage<BlobBytes> ask(Member owner, BlobId id, BlobRange range) {
        RelayedRead read = new RelayedRead();
        read.take(() -> peers.get(owner, id, range), (bytes, failure) -> {
            if (bytes != null) {
                came(owner, bytes.buffer().remaining());
            }
            if (bytes != null && bytes.buffer().remaining() == range.length()) {
                circuits.answered(owner.id());
                metrics.add(Counter.CACHE_ZONE_HITS, 1);
                metrics.add(Counter.CACHE_ZONE_BYTES, range.length());
                read.end(bytes, null);
                return;
            }
            if (bytes != null) {
                bytes.close();
            }
            failed(owner, failure);
            // Reads the range only and does not keep it, because the owner loads the section.
            read.take(() -> local.get(id, range.afresh()), read::end);
        });
        return read;
    }

    private void came(Member owner, long bytes) {
        Flow flow = Flow.between(owner.zone(), zone);
        metrics.flows().add(flow, bytes);
        if (flow.isCrossing()) {
            metrics.add(Counter.CROSS_ZONE_BYTES, bytes);
        }
    }

    private void failed(Member owner, @Nullable Throwable failure) {
        metrics.add(Counter.CACHE_ZONE_FAILURES, 1);
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null || cause instanceof StoreUnavailableException) {
            circuits.failed(owner.id());
        } else if (!(cause instanceof ClosedException)) {
            circuits.answered(owner.id()); // The member passed on a failure of the store.
        }
    }

    /** Reads blobs from a member, or from the store in its place. */
    private final class AskedMember extends ForwardingBlobStore {
        private final Member owner;

        AskedMember(Member owner) {
            super(local);
            this.owner = owner;
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return range.isAfresh() ? local.get(id, range) : ask(owner, id, range);
        }
    }
}
