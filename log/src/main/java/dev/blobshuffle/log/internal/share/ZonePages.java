package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerCircuits;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.log.internal.tail.TopicPages;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/**
 * Supplies the pages of a log to one instance of a zone. Pages of busy topics come from the member
 * that reads the topic for the zone, other pages from the log. Thread-safe.
 */
public final class ZonePages implements IntFunction<TopicPages> {
    /** At this rate, the rows that many instances read become a load for a database. */
    public static final long BUSY_BYTES_PER_SECOND = 2_000_000;

    private final MeteredLogReads reads;
    private final SharedLog own;
    private final Place place;
    private final long busyBytesPerSecond;
    private final ShuffleMetrics metrics;
    private final Time time;
    private final PeerCircuits circuits;

    /**
     * The place of an instance among others.
     *
     * @param self its endpoint for others; empty: none
     * @param zone its zone
     * @param members the members of all zones
     * @param peers connects to them
     */
    public record Place(Optional<Endpoint> self, Zone zone, ZoneMap members, LogPeers peers) {}

    /** The pages of a log for one instance, shared from {@link #BUSY_BYTES_PER_SECOND} on. */
    public ZonePages(MeteredLogReads reads, SharedLog own, Place place, ShuffleMetrics metrics, Time time) {
        this(reads, own, place, BUSY_BYTES_PER_SECOND, metrics, time);
    }

    /**
     * The pages of a log for one instance.
     *
     * @param own what this instance reads for others, and for itself if it is chosen
     * @param busyBytesPerSecond rate of entries from which a topic's pages are shared
     */
    public ZonePages(
            MeteredLogReads reads,
            SharedLog own,
            Place place,
            long busyBytesPerSecond,
            ShuffleMetrics metrics,
            Time time) {
        this.reads = reads;
        this.own = own;
        this.place = place;
        this.busyBytesPerSecond = busyBytesPerSecond;
        this.metrics = metrics;
        this.time = time;
        circuits = new PeerCircuits(time);
    }

    @Override
    public TopicPages apply(int topic) {
        return new ZoneTopicPages(this, topic);
    }

    UUID id() {
        return own.id();
    }

    MeteredLogReads reads() {
        return reads;
    }

    Time time() {
        return time;
    }

    long busyBytesPerSecond() {
        return busyBytesPerSecond;
    }

    /** The member that reads a topic for the zone; empty: there is none. */
    Optional<Member> chosen(int topic) {
        return SectionOwners.ofTopic(
                place.members().members(place.zone()),
                own.id(),
                topic,
                member -> isSelf(member) || circuits.allows(member.id()));
    }

    private boolean isSelf(Member member) {
        return place.self().equals(Optional.of(member.endpoint()));
    }

    /** Requests a page from the chosen member, which may be this instance. */
    CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question) {
        return isSelf(member) ? own.page(question) : place.peers().ask(member, question);
    }

    /** Called when a member has sent a page. */
    void came(Member member, long bytes) {
        circuits.answered(member.id());
        metrics.add(Counter.LOG_PAGES_SHARED, 1);
        metrics.add(Counter.LOG_BYTES_SHARED, bytes);
    }

    /** Called when a member has not sent a page. */
    void failed(Member member, Throwable failure) {
        metrics.add(Counter.LOG_SHARE_FAILURES, 1);
        if (failure instanceof PageRefusedException refusal && refusal.isHarmless()) {
            circuits.answered(member.id());
        } else if (!isSelf(member)) {
            circuits.failed(member.id());
        }
    }
}
