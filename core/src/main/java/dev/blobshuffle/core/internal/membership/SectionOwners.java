package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.store.BlobId;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Selects the member of a zone that answers for a section or a topic. If the section's writer is in
 * the zone, it is the owner, because it still has the bytes. Otherwise the owner is the member with
 * the largest hash of (member, section): rendezvous hashing (Thaler and Ravishankar, 1998).
 * Instances that know the same members select the same owner without communication. A member that
 * joins or leaves changes only the owner of its own share of sections. Stateless.
 */
public final class SectionOwners {
    private SectionOwners() {}

    /**
     * The owner of a section.
     *
     * @param members the members of one zone, with distinct ids
     * @param sectionOffset start of the section in the blob
     * @param isUsable called for the members in order of preference, until one is usable
     * @return empty if no member is usable
     */
    public static Optional<Member> owner(
            List<Member> members, BlobId blob, long sectionOffset, Predicate<Member> isUsable) {
        for (Member member : members) {
            if (member.id() == blob.writer() && isUsable.test(member)) {
                return Optional.of(member);
            }
        }
        long section = mix(blob.writer() ^ mix(blob.sequence() ^ mix(blob.generation() ^ mix(sectionOffset))));
        return largestUsable(members, section, member -> member.id() != blob.writer() && isUsable.test(member));
    }

    /**
     * The member that reads a topic of a log for the others.
     *
     * @param members the members of one zone, with distinct ids
     * @param isUsable as for {@link #owner}
     * @return empty if no member is usable
     */
    public static Optional<Member> ofTopic(List<Member> members, UUID log, int topic, Predicate<Member> isUsable) {
        long hash = mix(log.getMostSignificantBits() ^ mix(log.getLeastSignificantBits() ^ mix(topic)));
        return largestUsable(members, hash, isUsable);
    }

    /**
     * The member that combines the blobs of an owner for the others.
     *
     * @param members the members of one zone, with distinct ids
     * @param isUsable as for {@link #owner}
     * @return empty if no member is usable
     */
    public static Optional<Member> ofCombining(List<Member> members, int owner, Predicate<Member> isUsable) {
        return largestUsable(members, mix(owner), isUsable);
    }

    private static Optional<Member> largestUsable(List<Member> members, long hash, Predicate<Member> isUsable) {
        Set<Member> unusable = new HashSet<>(2);
        Optional<Member> next = largest(members, hash, unusable);
        while (next.isPresent() && !isUsable.test(next.get())) {
            unusable.add(next.get());
            next = largest(members, hash, unusable);
        }
        return next;
    }

    private static Optional<Member> largest(List<Member> members, long hash, Set<Member> unusable) {
        Member best = null;
        long most = 0;
        for (Member member : members) {
            long weight = mix(hash ^ mix(member.id()));
            boolean isMore =
                    best == null || Long.compareUnsigned(weight, most) > 0 || weight == most && member.id() > best.id();
            if (isMore && !unusable.contains(member)) {
                best = member;
                most = weight;
            }
        }
        return Optional.ofNullable(best);
    }

    /** A hash of a text, the same in every process. */
    static long hash(String text) {
        long hash = 0;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = mix(hash ^ b);
        }
        return hash;
    }

    /**
     * Spreads every bit of a number over all bits, one to one (the finalizer of MurmurHash3, by
     * Austin Appleby).
     */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }
}
