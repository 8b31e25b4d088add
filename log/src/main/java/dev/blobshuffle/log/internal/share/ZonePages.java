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
 * The pages of a log as one instance of a zone gets them: of busy topics from the member that reads
 * the topic for the zone, of others from the log. Thread-safe.
 */
public final class ZonePages implements IntFunction<TopicPages> {
    /** From this rate on the rows that many instances read burden a database. */
    public static final long BUSY_BYTES_PER_SECOND = 2_000_000;

    private final MeteredLogReads reads;
    private final SharedLog own;
    private final Place place;
    private final long busyBytesPerSecond;
    private final ShuffleMetrics metrics;
    private final Time time;
    private final PeerCircuits circuits;

    /**
     * An instance among others.
     *
     * @param self where it answers others; empty: it does not
     * @param zone its zone
     * @param members who they are
     * @param peers the way to them
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
     * @param busyBytesPerSecond from which rate of entries on a topic's pages are shared
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

    /** Who reads a topic for the zone now; empty: nobody can. */
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

    /** Asks the chosen member, which may be this instance. */
    CompletionStage<List<SequencedBatch>> ask(Member member, LogQuestion question) {
        return isSelf(member) ? own.page(question) : place.peers().ask(member, question);
    }

    /** A member has sent a page. */
    void came(Member member, long bytes) {
        circuits.answered(member.id());
        metrics.add(Counter.LOG_PAGES_SHARED, 1);
        metrics.add(Counter.LOG_BYTES_SHARED, bytes);
    }

    /** A member has not sent a page. */
    void failed(Member member, Throwable failure) {
        metrics.add(Counter.LOG_SHARE_FAILURES, 1);
        if (failure instanceof PageRefused refusal && refusal.isHarmless()) {
            circuits.answered(member.id());
        } else if (!isSelf(member)) {
            circuits.failed(member.id());
        }
    }
}
