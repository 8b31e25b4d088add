package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executors of an application that share their caches, as the driver lists them. An executor
 * joins with its first {@link #refresh}, because the driver does not answer earlier. A lost
 * executor leaves when the driver removes it. Thread-safe.
 */
public final class ExecutorMembers implements Membership, Membership.Reading {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorMembers.class);

    private final AtomicReference<Listed> listed = new AtomicReference<>(new Listed(-1, new FixedZoneMap(List.of())));
    private volatile Optional<Member> self = Optional.empty();

    private record Listed(long version, FixedZoneMap members) {}

    /** No members. */
    public ExecutorMembers() {}

    /** Joins, and asks the driver who else is there. Blocks until the driver answers. */
    public void refresh(DirectoryClient directory) {
        Optional<Member> member = self;
        if (member.isEmpty()) {
            return;
        }
        try {
            MemberList.Answer answer = directory.members(member.get(), current().version);
            answer.members().ifPresent(all -> listed.set(new Listed(answer.version(), new FixedZoneMap(all))));
        } catch (BlobShuffleException e) {
            LOG.debug("The driver does not list the executors.", e);
        }
    }

    private Listed current() {
        return Objects.requireNonNull(listed.get());
    }

    @Override
    public void join(Optional<Member> member) {
        self = member;
    }

    @Override
    public Reading reading() {
        return this;
    }

    @Override
    public void reads(Set<Partition> partitions) {}

    @Override
    public List<Member> members() {
        return current().members.members();
    }

    @Override
    public List<Member> members(Zone zone) {
        return current().members.members(zone);
    }

    @Override
    public long version() {
        return current().version;
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return Optional.empty();
    }

    @Override
    public void close() {}
}
