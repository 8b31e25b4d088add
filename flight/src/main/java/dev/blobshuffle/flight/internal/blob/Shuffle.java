package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.blob.Refused.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shuffle of a namespace: the committed blobs that its directories and the memory have. The
 * directories are the index: a blob that a writer renames to its final name is there for the next
 * request.
 * Thread-safe: guarded by itself.
 */
public final class Shuffle {
    private static final Logger LOG = LoggerFactory.getLogger(Shuffle.class);

    /**
     * Clocks of file systems are coarse: a change this soon after a listing may not change the
     * directory's time.
     */
    private static final long COARSE_MILLIS = 2_000;

    private static final int MOST_NAMED = 10;
    private static final int LONGEST_COMMIT = 256 << 20;

    private final String name;
    private final List<BlobRoot> roots;
    private final FooterCache footers;
    private final Time time;
    private final TreeMap<BlobName, StoredBlob> blobs = new TreeMap<>();
    private final List<Long> listedAt = new ArrayList<>();
    private final Place place;
    private @Nullable Commitment commitment;

    /** Whether a directory has the commitment: it has none while all blobs are in memory. */
    private boolean isCommitStored;

    /** Written under the lock. */
    private volatile int memoryBlobs;

    private volatile long usedMillis;

    /**
     * Where the blobs of a namespace are.
     *
     * @param roots its directories
     * @param placement chooses among them
     * @param tier those in memory
     */
    record Place(List<BlobRoot> roots, Placement placement, MemoryTier tier) {}

    Shuffle(String name, Place place, FooterCache footers, Time time) {
        this.name = name;
        this.place = place;
        roots = place.roots();
        this.footers = footers;
        this.time = time;
        usedMillis = time.wallMillis();
    }

    /** The shuffle's name. */
    public String name() {
        return name;
    }

    /** Says that somebody still uses it. */
    void use() {
        usedMillis = time.wallMillis();
    }

    /** When it was last written to, read or renewed; milliseconds since the epoch. */
    long usedMillis() {
        long changed = roots.stream()
                .mapToLong(root -> root.changedMillis(name).orElse(0))
                .max()
                .orElse(0);
        return Math.max(changed, usedMillis);
    }

    /** Lists the directories again if they may have changed; returns whether there is any. */
    synchronized boolean refresh() {
        List<Long> changes =
                roots.stream().map(root -> root.changedMillis(name).orElse(0)).collect(Collectors.toList());
        if (!changes.equals(listedAt)) {
            long now = time.wallMillis();
            boolean isSettled = changes.stream().allMatch(change -> Math.abs(now - change) > COARSE_MILLIS);
            list();
            listedAt.clear();
            if (isSettled) {
                listedAt.addAll(changes);
            }
        }
        return hasMemory() || changes.stream().anyMatch(change -> change != 0);
    }

    /** Whether it has blobs in memory. */
    boolean hasMemory() {
        return memoryBlobs > 0;
    }

    /** Adds a blob that is in memory. */
    synchronized StoredBlob hold(BlobName named, MemoryContent content) {
        use();
        StoredBlob blob = new StoredBlob(content, name, named, footers);
        blobs.put(named, blob);
        memoryBlobs = memoryBlobs + 1;
        place.tier().add(blob, this);
        return blob;
    }

    /**
     * Writes a blob that is in memory to a directory; its readers notice nothing.
     *
     * @return whether the memory does not have it any more
     */
    boolean moveToDirectory(StoredBlob blob) {
        Optional<MemoryContent> content = blob.content().filter(MemoryContent::use);
        if (content.isEmpty()) {
            return true;
        }
        try {
            move(blob, content.get());
            return true;
        } catch (StoreUnavailable | Refused e) {
            LOG.warn("Cannot move {} from memory to a directory. {}", blob, e.getMessage());
            return false;
        } finally {
            content.get().drop();
        }
    }

    private void move(StoredBlob blob, MemoryContent content) {
        BlobRoot root = place.placement().candidates(content.length()).get(0);
        place.placement().take(root, content.length());
        BlobFile file = new BlobFile(root, name, blob.name());
        try {
            content.parts(0, content.length()).forEach(file::write);
            file.end();
            synchronized (this) {
                if (blobs.get(blob.name()) != blob) {
                    file.abort(); // Released meanwhile.
                    return;
                }
                file.commit();
                blob.movedTo(root);
                memoryBlobs = memoryBlobs - 1;
                Commitment present = commitment;
                if (present != null && !isCommitStored) {
                    root.write(name, Commitment.FILE, present.encode());
                    isCommitStored = true;
                }
            }
        } catch (StoreUnavailable e) {
            place.placement().leave(root);
            try {
                file.abort();
            } catch (StoreUnavailable second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private void list() {
        Map<BlobName, StoredBlob> before = new TreeMap<>(blobs);
        blobs.clear();
        for (BlobRoot root : roots) {
            for (String file : root.files(name).orElse(List.of())) {
                BlobName.parse(file)
                        .ifPresent(blob -> blobs.computeIfAbsent(
                                blob,
                                named -> Optional.ofNullable(before.get(named))
                                        .orElseGet(() -> new StoredBlob(root, name, named, footers))));
                if (file.equals(Commitment.FILE) && commitment == null) {
                    commitment = readCommitment(root);
                    isCommitStored = true;
                }
            }
        }
        before.forEach((named, blob) -> {
            if (blob.isInMemory()) {
                blobs.putIfAbsent(named, blob);
            }
            if (blobs.get(named) != blob) {
                footers.remove(blob);
            }
        });
        expectCommitted();
    }

    private Commitment readCommitment(BlobRoot root) {
        try (OpenBlob file = new OpenBlob(root.open(name, Commitment.FILE), "the commit of shuffle " + name)) {
            long length = file.length();
            if (length > LONGEST_COMMIT) {
                throw file.corrupt("it has " + length + " bytes, at most " + LONGEST_COMMIT);
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) length);
            file.fill(0, bytes);
            return Commitment.decode(bytes.array(), name);
        }
    }

    private void expectCommitted() {
        if (commitment != null) {
            for (Commitment.Chosen chosen : commitment.blobs()) {
                StoredBlob blob = blobs.get(chosen.name());
                if (blob != null) {
                    blob.expect(chosen.fingerprint());
                }
            }
        }
    }

    /** How many blobs it has, of all attempts. */
    public synchronized int blobCount() {
        return blobs.size();
    }

    /** The number of maps that the commit names; empty before the commit. */
    public synchronized OptionalInt committedMaps() {
        return commitment == null
                ? OptionalInt.empty()
                : OptionalInt.of(commitment.blobs().size());
    }

    /** Registers a blob that is there: reads and checks its footer. */
    synchronized StoredBlob register(String file) {
        BlobName named = BlobName.parse(file)
                .orElseThrow(
                        () -> new Refused(
                                Reason.INVALID,
                                "Cannot register " + file
                                        + ": that is no name of a blob. Use mMAP-aATTEMPT-ID.blob, as the Python package does."));
        list();
        StoredBlob blob = blobs.get(named);
        if (blob == null) {
            throw new BlobMissing("Cannot register " + file + ": shuffle " + name
                    + " has no such file. Rename it to its final name first.");
        }
        BlobFooter ignored = blob.footer();
        return blob;
    }

    /**
     * A blob by the name of its file, of any attempt.
     *
     * @throws Refused there is none
     */
    public synchronized StoredBlob blob(String file) {
        use();
        return BlobName.parse(file)
                .map(blobs::get)
                .orElseThrow(() -> new Refused(
                        Reason.UNKNOWN,
                        "Cannot find blob " + file + ": shuffle " + name + " has none of this name. Its map has not"
                                + " committed, or its disk is lost."));
    }

    /** Whether a blob is of these maps, by their attempts. */
    public synchronized boolean has(MapSet maps, StoredBlob blob) {
        BlobName named = blob.name();
        if (maps instanceof MapSet.Listed listed) {
            return listed.attempts().contains(new MapSet.Attempt(named.map(), named.attempt()));
        }
        Commitment present = commitment;
        return present != null
                && present.blobs().size() == ((MapSet.Committed) maps).maps()
                && named.map() < present.blobs().size()
                && present.blobs().get((int) named.map()).name().equals(named);
    }

    /**
     * The blobs of some maps, in the order of the maps.
     *
     * @throws Refused a map is unknown, or the shuffle is not committed with so many maps
     * @throws BlobMissing committed maps are lost
     */
    public synchronized List<StoredBlob> chosen(MapSet maps) {
        use();
        if (maps instanceof MapSet.Committed all) {
            return committed(all.maps());
        }
        return listed(((MapSet.Listed) maps).attempts());
    }

    private List<StoredBlob> listed(List<MapSet.Attempt> attempts) {
        List<StoredBlob> found = new ArrayList<>();
        List<Object> unknown = new ArrayList<>();
        for (MapSet.Attempt attempt : attempts) {
            Optional<StoredBlob> blob = attempts(attempt.map()).stream()
                    .filter(one -> one.name().attempt() == attempt.attempt())
                    .findFirst();
            blob.ifPresentOrElse(found::add, () -> unknown.add(attempt));
        }
        if (!unknown.isEmpty()) {
            throw new Refused(
                    Reason.UNKNOWN,
                    "Cannot read shuffle " + name + ": it has no " + some(unknown)
                            + ". Run these maps again, or name attempts that are stored.");
        }
        found.sort((a, b) -> a.name().compareTo(b.name()));
        return found;
    }

    private Collection<StoredBlob> attempts(long map) {
        return blobs.subMap(
                        new BlobName(map, 0, BlobName.FIRST),
                        true,
                        new BlobName(map, Long.MAX_VALUE, BlobName.LAST),
                        true)
                .values();
    }

    private List<StoredBlob> committed(int expected) {
        Commitment present = commitment;
        if (present == null) {
            throw new Refused(
                    Reason.INCOMPLETE,
                    "Cannot read all maps of shuffle " + name
                            + ": it is not committed. Send the action commit with the number of maps first.");
        }
        if (present.blobs().size() != expected) {
            throw new Refused(
                    Reason.INCOMPLETE,
                    "Cannot read " + expected + " maps of shuffle " + name + ": it was committed with "
                            + present.blobs().size() + ". Ask for a ticket of the present commit.");
        }
        List<StoredBlob> found = new ArrayList<>();
        List<Object> lost = new ArrayList<>();
        for (Commitment.Chosen chosen : present.blobs()) {
            StoredBlob blob = blobs.get(chosen.name());
            if (blob == null) {
                lost.add(chosen.name().map());
            } else {
                found.add(blob);
            }
        }
        if (!lost.isEmpty()) {
            throw new BlobMissing("LOST(" + lost.stream().map(String::valueOf).collect(Collectors.joining(","))
                    + "): the blobs of " + lost.size() + " maps of shuffle " + name
                    + " are gone. Run only these maps again, then commit again.");
        }
        return found;
    }

    /**
     * Fixes the attempts that all readers use: of each map that is not fixed yet, or whose blob is
     * gone, the lowest attempt. Idempotent.
     *
     * @param maps how many maps there must be
     * @throws Refused maps are missing, or too many
     */
    public synchronized List<StoredBlob> commit(int maps) {
        use();
        list();
        List<StoredBlob> chosen = new ArrayList<>();
        List<Object> missing = new ArrayList<>();
        for (long map = 0; map < maps; map++) {
            Optional<StoredBlob> blob = kept(map).or(attempts(map).stream()::findFirst);
            long number = map;
            blob.ifPresentOrElse(chosen::add, () -> missing.add(number));
        }
        if (!missing.isEmpty()) {
            throw new Refused(
                    Reason.INCOMPLETE,
                    "Cannot commit shuffle " + name + ": " + missing.size() + " of " + maps + " maps are missing: "
                            + some(missing) + ". Run them, or commit the right number.");
        }
        if (!blobs.isEmpty() && blobs.lastKey().map() >= maps) {
            throw new Refused(
                    Reason.INVALID,
                    "Cannot commit shuffle " + name + " with " + maps + " maps: it has map "
                            + blobs.lastKey().map() + ". Commit the right number.");
        }
        Commitment next = new Commitment(chosen.stream()
                .map(blob -> new Commitment.Chosen(blob.name(), blob.fingerprint()))
                .toList());
        if (!next.equals(commitment)) {
            store(next);
            commitment = next;
        }
        return chosen;
    }

    /** Stores a commitment beside the blobs; a shuffle that is in memory only has it there too. */
    private void store(Commitment next) {
        Optional<BlobRoot> home = roots.stream()
                .filter(root -> root.changedMillis(name).isPresent())
                .findFirst();
        if (home.isEmpty() && !hasMemory()) {
            throw new BlobMissing("Cannot commit shuffle " + name + ": it was released.");
        }
        home.ifPresent(root -> root.write(name, Commitment.FILE, next.encode()));
        isCommitStored = home.isPresent();
    }

    /** The attempt of a map that was committed before, if it is still there. */
    private Optional<StoredBlob> kept(long map) {
        Commitment present = commitment;
        return present == null || map >= present.blobs().size()
                ? Optional.empty()
                : Optional.ofNullable(blobs.get(present.blobs().get((int) map).name()));
    }

    /** Deletes all blobs. Streams that have one open finish it. */
    synchronized void release() {
        blobs.values().forEach(blob -> {
            footers.remove(blob);
            place.tier().remove(blob);
            blob.giveUp();
        });
        blobs.clear();
        memoryBlobs = 0;
        listedAt.clear();
        commitment = null;
        isCommitStored = false;
        roots.forEach(root -> root.delete(name));
        place.placement().recount();
    }

    private static String some(List<Object> all) {
        String text = all.stream().limit(MOST_NAMED).map(String::valueOf).collect(Collectors.joining(", "));
        return all.size() > MOST_NAMED ? text + " and " + (all.size() - MOST_NAMED) + " more" : text;
    }
}
