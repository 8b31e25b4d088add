package dev.blobshuffle.core.membership;

import dev.blobshuffle.core.format.BlobId;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Who among the members of a zone answers for a section: its writer if it is one of them, because it still has the bytes; otherwise the one with the largest hash of
 * (member, section), which is rendezvous hashing (Thaler and Ravishankar, 1998). Whoever knows the same members names the same owner, without talking, and a member
 * that comes or goes changes the owner of its own share of sections only. Stateless.
 */
public final class SectionOwners {
    private SectionOwners() {}

    /**
     * The owner of a section.
     *
     * @param members the members of one zone, each with an id of its own
     * @param sectionOffset where the section starts in the blob
     * @param isUsable asked of one member after the other, the likeliest first, until one is usable
     * @return empty if none is
     */
    public static Optional<Member> owner(
            List<Member> members, BlobId blob, long sectionOffset, Predicate<Member> isUsable) {
        for (Member member : members) {
            if (member.id() == blob.writer() && isUsable.test(member)) {
                return Optional.of(member);
            }
        }
        Set<Member> unusable = new HashSet<>(2);
        Optional<Member> next = largest(members, blob, sectionOffset, unusable);
        while (next.isPresent() && (next.get().id() == blob.writer() || !isUsable.test(next.get()))) {
            unusable.add(next.get());
            next = largest(members, blob, sectionOffset, unusable);
        }
        return next;
    }

    private static Optional<Member> largest(
            List<Member> members, BlobId blob, long sectionOffset, Set<Member> unusable) {
        long section = mix(blob.writer() ^ mix(blob.sequence() ^ mix(blob.generation() ^ mix(sectionOffset))));
        Member best = null;
        long most = 0;
        for (Member member : members) {
            long weight = mix(section ^ mix(member.id()));
            boolean isMore =
                    best == null || Long.compareUnsigned(weight, most) > 0 || weight == most && member.id() > best.id();
            if (isMore && !unusable.contains(member)) {
                best = member;
                most = weight;
            }
        }
        return Optional.ofNullable(best);
    }

    /** A number for a text, the same everywhere. */
    static long hash(String text) {
        long hash = 0;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = mix(hash ^ b);
        }
        return hash;
    }

    /** Spreads every bit of a number over all of them, one to one (the finalizer of MurmurHash3, by Austin Appleby). */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }
}
