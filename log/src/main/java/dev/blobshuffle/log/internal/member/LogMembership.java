package dev.blobshuffle.log.internal.member;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.Instances.Announcement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members that announce themselves in a log, by one request every 10 seconds per instance. An
 * announcement is valid for 30 seconds by the log's clock. While the log does not answer, the last
 * known members stay. Thread-safe.
 *
 * <p>It knows no zones of partitions: publishers use the home zones of their topics.
 */
public final class LogMembership implements Membership {
    private static final Logger LOG = LoggerFactory.getLogger(LogMembership.class);
    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration VALID = Duration.ofSeconds(30);

    /** Limit on members, far above real numbers. Protects the memory. */
    private static final int MOST = 10_000;

    private final CommitLog log;
    private final List<Member> listed;
    private final MemberText text;
    private final Time time;

    private volatile Snapshot snapshot;
    private @Nullable Member self;
    private Time.Cancellable next = () -> {};
    private Runnable refusal = () -> {};
    private boolean isJoined;
    private boolean isClosed;

    private record Snapshot(long version, FixedZoneMap map) {}

    /**
     * A membership that has not joined.
     *
     * @param log stays open
     * @param listed members that settings list, always present
     * @param secrets by which members authenticate themselves; empty: none
     */
    public LogMembership(CommitLog log, List<Member> listed, Optional<PeerSecrets> secrets, Time time) {
        this.log = log;
        this.listed = List.copyOf(listed);
        this.time = time;
        text = new MemberText(secrets, log.id());
        snapshot = new Snapshot(0, new FixedZoneMap(listed));
    }

    @Override
    public void join(Optional<Member> own) {
        synchronized (this) {
            if (isClosed || isJoined) {
                return;
            }
            isJoined = true;
            self = own.orElse(null);
        }
        exchange();
    }

    @Override
    public synchronized void onRefusal(Runnable action) {
        refusal = action;
    }

    private void exchange() {
        Member own;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            own = self;
        }
        BiConsumer<@Nullable List<Announcement>, @Nullable Throwable> answer = (announcements, failure) -> {
            if (announcements != null) {
                learn(announcements);
            } else {
                LOG.debug("Cannot exchange announcements with other instances; the last known ones stay.", failure);
            }
            again();
        };
        try {
            CompletionStage<List<Announcement>> asked =
                    own == null ? log.instances().find() : log.instances().announce(own.id(), text.write(own), VALID);
            asked.whenComplete(answer);
        } catch (RuntimeException e) {
            answer.accept(null, e);
        }
    }

    private synchronized void again() {
        if (!isClosed) {
            next = time.schedule(EVERY, this::exchange);
        }
    }

    private void learn(List<Announcement> announcements) {
        List<Member> members = new ArrayList<>(listed);
        Set<Long> ids = new HashSet<>();
        listed.forEach(member -> ids.add(member.id()));
        int refused = 0;
        for (Announcement each : announcements) {
            Optional<Member> member = text.read(each.id(), each.text());
            if (member.isEmpty()) {
                refused++;
            } else if (members.size() < MOST && ids.add(each.id())) {
                members.add(member.get());
            }
        }
        synchronized (this) {
            for (int i = 0; i < refused; i++) {
                refusal.run();
            }
            if (!isClosed && !members.equals(snapshot.map().members())) {
                snapshot = new Snapshot(snapshot.version() + 1, new FixedZoneMap(members));
            }
        }
    }

    @Override
    public List<Member> members() {
        return snapshot.map().members();
    }

    @Override
    public List<Member> members(Zone zone) {
        return snapshot.map().members(zone);
    }

    @Override
    public long version() {
        return snapshot.version();
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return Optional.empty();
    }

    /** Reports nothing: groups know what their members read. */
    @Override
    public Reading reading() {
        return Unannounced.READING;
    }

    /** Withdraws the announcement without waiting for the answer; otherwise it would expire. */
    @Override
    public void close() {
        Member own;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            next.cancel();
            own = self;
        }
        if (own != null) {
            try {
                log.instances().withdraw(own.id()).exceptionally(failure -> {
                    LOG.debug("Cannot withdraw this instance's announcement; it ends by itself.", failure);
                    return null;
                });
            } catch (RuntimeException e) {
                LOG.debug("Cannot withdraw this instance's announcement; it ends by itself.", e);
            }
        }
    }

    private enum Unannounced implements Reading {
        READING;

        @Override
        public void reads(Set<Partition> partitions) {}

        @Override
        public void close() {}
    }
}
