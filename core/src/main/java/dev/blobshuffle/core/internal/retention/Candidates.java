package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Decides on the undecided blobs of a listing. It reads their footers, a few at a time, and sets
 * tombstones if the footers allow it. Owned by one thread.
 */
final class Candidates {
    private final BlobListing listing;
    private final PatientStore store;
    private final SweepScope scope;
    private final LogReach reach;
    private final Set<String> unknownTopics = new TreeSet<>();
    private int unneeded;
    private long unneededBytes;
    private int orphans;
    private long orphanBytes;
    private int kept;
    private int damaged;
    private Optional<BlobId> damagedExample = Optional.empty();
    private int otherContent;
    private int silent;
    private int unsettled;
    private final Map<Partition, String> doubts = new HashMap<>();

    /**
     * @param reach how far back the logs reach that have been read so far
     */
    Candidates(BlobListing listing, PatientStore store, SweepScope scope, LogReach reach) {
        this.listing = listing;
        this.store = store;
        this.scope = scope;
        this.reach = reach;
    }

    /** Pauses after a number of blobs. */
    interface Rest {
        void after(int blobs) throws InterruptedException;
    }

    /**
     * Decides on all blobs, except those whose footers name topics that have not been read yet.
     *
     * @param unread returns those of a blob's topics that must be read before the blob is deleted
     * @param existing the topics of the cluster
     * @return topics to read before the remaining blobs can be decided
     */
    Set<String> decide(UnaryOperator<Set<String>> unread, Set<String> existing, Rest rest) throws InterruptedException {
        Set<String> more = new TreeSet<>();
        List<Integer> some = new ArrayList<>(PatientStore.AT_ONCE);
        Optional<Integer> next = listing.undecided(0);
        while (next.isPresent()) {
            int index = next.get();
            some.add(index);
            next = listing.undecided(index + 1);
            if (some.size() == PatientStore.AT_ONCE || next.isEmpty()) {
                decide(some, unread, existing, more);
                rest.after(some.size());
                some.clear();
            }
        }
        return more;
    }

    private void decide(List<Integer> some, UnaryOperator<Set<String>> unread, Set<String> existing, Set<String> more)
            throws InterruptedException {
        List<BlobId> ids = some.stream().map(listing::id).toList();
        List<Optional<PatientStore.Contents>> contents = store.contents(ids);
        for (int i = 0; i < ids.size(); i++) {
            if (contents.get(i).isEmpty()) {
                listing.decide(some.get(i)); // Another sweep has deleted it.
                continue;
            }
            PatientStore.Contents blob = contents.get(i).get();
            Set<String> missing = blob.topics().map(unread).orElse(Set.of());
            if (isNone(ids.get(i), blob, missing, existing)) {
                listing.decide(some.get(i));
            } else if (missing.isEmpty()) {
                listing.condemn(some.get(i));
                count(ids.get(i), blob);
            } else {
                more.addAll(missing);
            }
        }
    }

    private void count(BlobId id, PatientStore.Contents blob) {
        unneeded++;
        unneededBytes += blob.length();
        if (reach.coversAll(blob.partitions().orElse(Set.of()), id.generation())) {
            orphans++;
            orphanBytes += blob.length();
        }
    }

    /** Whether a blob must stay, regardless of the logs. Counts the reason. */
    private boolean isNone(BlobId id, PatientStore.Contents blob, Set<String> unread, Set<String> existing)
            throws InterruptedException {
        if (blob.isDamaged()) {
            damaged++;
            damagedExample = damagedExample.or(() -> Optional.of(id));
            return true;
        }
        if (blob.topics().isEmpty()) {
            otherContent++;
            return true;
        }
        scope.named(blob.topics().get());
        Set<String> unknown = new TreeSet<>(unread);
        unknown.removeAll(existing);
        if (!unknown.isEmpty()) {
            unknownTopics.addAll(unknown);
            kept++;
            return true;
        }
        return unread.isEmpty() && isKeptByLogs(blob.partitions().orElse(Set.of()));
    }

    private boolean isKeptByLogs(Set<Partition> partitions) {
        Map<Partition, String> found = reach.doubts(partitions);
        if (!found.isEmpty()) {
            doubts.putAll(found);
            unsettled++;
            return true;
        }
        if (reach.anyIsSilent(partitions)) {
            silent++;
            return true;
        }
        return false;
    }

    /** Decides that the blobs that are too young stay, and reports. */
    SweepReport report(ReferenceMarker marker) {
        int spared = listing.spare();
        return new SweepReport(
                listing.size(),
                listing.estimatedBytes(),
                marker.needed(),
                marker.oldest(),
                unneeded,
                unneededBytes,
                orphans,
                orphanBytes,
                kept,
                unknownTopics,
                damaged,
                damagedExample,
                otherContent,
                silent,
                spared,
                unsettled,
                doubts,
                marker.links());
    }
}
