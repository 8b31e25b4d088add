package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shuffle of a namespace: its blobs in the directories and in memory, and its commit. The
 * directories are the index: when a writer renames a blob to its final name, the next request finds
 * it. A blob that is missing there may have a copy, which {@link #look} finds. Thread-safe: guarded
 * by itself.
 */
public final class Shuffle {
    private static final Logger LOG = LoggerFactory.getLogger(Shuffle.class);

    private static final int MOST_NAMED = 10;

    private final String name;
    private final List<BlobRoot> roots;
    private final FooterCache<StoredBlob, BlobFooter> footers;
    private final Time time;
    private final BlobIndex blobs;
    private final Place place;
    private final CopyView copies;
    private @Nullable Commitment commitment;

    /** Whether a directory has the commitment. None has it while all blobs are in memory. */
    private boolean isCommitStored;

    /** Written under the lock. */
    private volatile int memoryBlobs;

    private volatile long usedMillis;

    /**
     * The places of a namespace's blobs.
     *
     * @param roots its directories
     * @param placement chooses among them
     * @param tier the blobs in memory
     * @param copies the store of their copies; empty if there is none
     */
    record Place(List<BlobRoot> roots, Placement placement, MemoryTier tier, Optional<CopyStore> copies) {}

    /**
     * The contents of a complete copy of the shuffle.
     *
     * @param blobs that this daemon has, with their lengths in bytes
     * @param elsewhere the names and lengths of blobs that only the store may have
     * @param commit stored last
     */
    public record Order(Map<StoredBlob, Long> blobs, Map<String, Long> elsewhere, byte[] commit) {}

    Shuffle(String name, Place place, FooterCache<StoredBlob, BlobFooter> footers, Time time) {
        this.name = name;
        this.place = place;
        roots = place.roots();
        this.footers = footers;
        this.time = time;
        blobs = new BlobIndex(name, roots, footers, time);
        copies = new CopyView(name, footers, time);
        usedMillis = time.wallMillis();
    }

    /** The shuffle's name. */
    public String name() {
        return name;
    }

    /** Marks the shuffle as in use. */
    void use() {
        usedMillis = time.wallMillis();
    }

    /** The time of the last write, read or renewal, milliseconds since the epoch. */
    long usedMillis() {
        long changed = roots.stream()
                .mapToLong(root -> root.changedMillis(name).orElse(0))
                .max()
                .orElse(0);
        return Math.max(changed, usedMillis);
    }

    /** Lists the directories again if they may have changed; returns whether the shuffle exists. */
    synchronized boolean refresh() {
        if (blobs.mayHaveChanged()) {
            list();
        }
        return hasMemory() || !copies.isEmpty() || blobs.isInDirectories();
    }

    private void list() {
        blobs.list(root -> {
            if (commitment == null) {
                commitment = readCommitment(root);
                isCommitStored = true;
            }
        });
        expectCommitted();
    }

    /** Looks for copies; returns whether any exist. Blocks on the network. */
    boolean look(CopyStore store) {
        CopyStore.Found found = store.look(name);
        synchronized (this) {
            copies.take(found, store, commitment);
            return !copies.isEmpty();
        }
    }

    /** Whether the copies must be looked up again before use. */
    synchronized boolean isCopyOld() {
        return copies.isOld();
    }

    /** Whether the shuffle only has copies, and has been unused for this time. */
    synchronized boolean isIdleCopy(long millis) {
        return blobs.isEmpty() && !copies.isEmpty() && time.wallMillis() - usedMillis > millis;
    }

    /** The commit of the directories or the memory, else the commit of the copies. */
    private @Nullable Commitment committed() {
        return commitment == null ? copies.commitment() : commitment;
    }

    private Optional<StoredBlob> find(BlobName named) {
        return blobs.find(named).or(() -> copies.blob(named));
    }

    /** The blobs to copy; empty before the commit. */
    public synchronized Optional<Order> order() {
        Commitment present = commitment;
        if (present == null) {
            return Optional.empty();
        }
        Map<StoredBlob, Long> here = new LinkedHashMap<>();
        Map<String, Long> elsewhere = new LinkedHashMap<>();
        for (Commitment.Chosen chosen : present.blobs()) {
            long length = chosen.fingerprint().length();
            blobs.find(chosen.name())
                    .ifPresentOrElse(
                            blob -> here.put(blob, length),
                            () -> elsewhere.put(chosen.name().file(), length));
        }
        return Optional.of(new Order(here, elsewhere, present.encode()));
    }

    /** Whether it has blobs in memory. */
    boolean hasMemory() {
        return memoryBlobs > 0;
    }

    /** Adds a blob that is in memory. */
    synchronized StoredBlob hold(BlobName named, MemoryContent content) {
        use();
        StoredBlob blob = new StoredBlob(content, name, named, footers);
        blobs.add(blob);
        memoryBlobs = memoryBlobs + 1;
        place.tier().add(blob, this);
        return blob;
    }

    /**
     * Writes a blob from memory to a directory. Readers are not affected.
     *
     * @return whether the blob is no longer in memory
     */
    boolean moveToDirectory(StoredBlob blob) {
        Optional<MemoryContent> content = blob.content().filter(MemoryContent::use);
        if (content.isEmpty()) {
            return true;
        }
        try {
            move(blob, content.get());
            return true;
        } catch (StoreUnavailableException | RefusedException e) {
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
                if (!blobs.has(blob)) {
                    file.abort(); // The blob has been released meanwhile.
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
        } catch (StoreUnavailableException e) {
            place.placement().leave(root);
            try {
                file.abort();
            } catch (StoreUnavailableException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private Commitment readCommitment(BlobRoot root) {
        try (OpenBlob file = new OpenBlob(root.open(name, Commitment.FILE), "the commit of shuffle " + name)) {
            long length = file.length();
            if (length > Commitment.LONGEST) {
                throw file.corrupt("it has " + length + " bytes, at most " + Commitment.LONGEST);
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) length);
            file.fill(0, bytes);
            return Commitment.decode(bytes.array(), name);
        }
    }

    private void expectCommitted() {
        if (commitment != null) {
            for (Commitment.Chosen chosen : commitment.blobs()) {
                blobs.find(chosen.name()).ifPresent(blob -> blob.expect(chosen.fingerprint()));
            }
        }
    }

    /** The number of blobs of all attempts. */
    public synchronized int blobCount() {
        return blobs.size();
    }

    /** The number of maps in the commit; empty before the commit. */
    public synchronized OptionalInt committedMaps() {
        Commitment present = committed();
        return present == null
                ? OptionalInt.empty()
                : OptionalInt.of(present.blobs().size());
    }

    /** Registers an existing blob: reads and checks its footer. */
    synchronized StoredBlob register(String file) {
        BlobName named = BlobName.parse(file)
                .orElseThrow(() -> new RefusedException(
                        Reason.INVALID,
                        "Cannot register " + file
                                + ": that is not the name of a"
                                + " blob. Use mMAP-aATTEMPT-ID.blob, as the Python package does."));
        list();
        StoredBlob blob = blobs.find(named)
                .orElseThrow(() -> new BlobMissingException("Cannot register " + file + ": shuffle " + name
                        + " has no such file. Rename it to its final name first."));
        BlobFooter ignored = blob.footer();
        return blob;
    }

    /**
     * The blob with this file name, of any attempt.
     *
     * @throws RefusedException the blob does not exist
     */
    public synchronized StoredBlob blob(String file) {
        use();
        return BlobName.parse(file)
                .flatMap(this::find)
                .orElseThrow(() -> new RefusedException(
                        Reason.UNKNOWN,
                        "Cannot find blob " + file + ": shuffle " + name + " has none of this name. Its map has not"
                                + " committed, or its disk is lost."));
    }

    /** Whether a blob belongs to one of these attempts. */
    public synchronized boolean has(MapSet maps, StoredBlob blob) {
        BlobName named = blob.name();
        if (maps instanceof MapSet.Listed listed) {
            return listed.attempts().contains(new MapSet.Attempt(named.map(), named.attempt()));
        }
        Commitment present = committed();
        return present != null
                && present.blobs().size() == ((MapSet.Committed) maps).maps()
                && named.map() < present.blobs().size()
                && present.blobs().get((int) named.map()).name().equals(named);
    }

    /**
     * The blobs of a set of maps, in the order of the maps.
     *
     * @throws RefusedException a map is unknown, or the commit has a different number of maps
     * @throws BlobMissingException committed maps are lost
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
            Optional<StoredBlob> blob = blobs.attempts(attempt.map()).stream()
                    .filter(one -> one.name().attempt() == attempt.attempt())
                    .findFirst()
                    .or(() -> copies.attempt(attempt));
            blob.ifPresentOrElse(found::add, () -> unknown.add(attempt));
        }
        if (!unknown.isEmpty()) {
            throw new RefusedException(
                    Reason.UNKNOWN,
                    "Cannot read shuffle " + name + ": it has no " + some(unknown)
                            + ". Run these maps again, or name attempts that are stored.");
        }
        found.sort((a, b) -> a.name().compareTo(b.name()));
        return found;
    }

    private List<StoredBlob> committed(int expected) {
        Commitment present = committed();
        if (present == null) {
            throw new RefusedException(
                    Reason.INCOMPLETE,
                    "Cannot read all maps of shuffle " + name
                            + ": it is not committed. Send the action commit with the number of maps first.");
        }
        if (present.blobs().size() != expected) {
            throw new RefusedException(
                    Reason.INCOMPLETE,
                    "Cannot read " + expected + " maps of shuffle " + name + ": it was committed with "
                            + present.blobs().size() + ". Ask for a ticket of the present commit.");
        }
        List<StoredBlob> found = new ArrayList<>();
        List<Object> lost = new ArrayList<>();
        for (Commitment.Chosen chosen : present.blobs()) {
            find(chosen.name())
                    .ifPresentOrElse(found::add, () -> lost.add(chosen.name().map()));
        }
        if (!lost.isEmpty()) {
            throw new BlobMissingException(
                    "LOST(" + lost.stream().map(String::valueOf).collect(Collectors.joining(","))
                            + "): the blobs of " + lost.size() + " maps of shuffle " + name
                            + " are gone. Run only these maps again, then commit again.");
        }
        return found;
    }

    /**
     * Fixes the attempts that all readers use. A map keeps its committed attempt while the blob
     * exists; otherwise its lowest attempt is chosen. Idempotent.
     *
     * @param maps the expected number of maps
     * @throws RefusedException maps are missing, or there are too many
     */
    public synchronized List<StoredBlob> commit(int maps) {
        use();
        list();
        List<StoredBlob> chosen = new ArrayList<>();
        List<Object> missing = new ArrayList<>();
        for (long map = 0; map < maps; map++) {
            Optional<StoredBlob> blob = kept(map).or(blobs.attempts(map).stream()::findFirst);
            long number = map;
            blob.ifPresentOrElse(chosen::add, () -> missing.add(number));
        }
        if (!missing.isEmpty()) {
            throw new RefusedException(
                    Reason.INCOMPLETE,
                    "Cannot commit shuffle " + name + ": " + missing.size() + " of " + maps + " maps are missing: "
                            + some(missing) + ". Run them, or commit the right number.");
        }
        long last = blobs.lastMap().orElse(committedMaps().orElse(0) - 1);
        if (last >= maps) {
            throw new RefusedException(
                    Reason.INVALID,
                    "Cannot commit shuffle " + name + " with " + maps + " maps: it has map " + last
                            + ". Commit the right number.");
        }
        requireSamePartitions(chosen);
        Commitment next = new Commitment(chosen.stream()
                .map(blob -> new Commitment.Chosen(blob.name(), blob.fingerprint()))
                .toList());
        if (!next.equals(committed())) {
            store(next);
            commitment = next;
        }
        return chosen;
    }

    /**
     * Requires that all blobs have the same number of partitions, because it determines a key's
     * partition. Copies were checked when they were committed.
     */
    private void requireSamePartitions(List<StoredBlob> chosen) {
        StoredBlob first = null;
        OptionalInt count = OptionalInt.empty();
        for (StoredBlob blob : chosen) {
            OptionalInt own =
                    blob.isCopy() ? OptionalInt.empty() : blob.footer().partitions();
            if (own.isEmpty()) {
                continue;
            }
            if (first != null && !own.equals(count)) {
                throw new RefusedException(
                        Reason.INVALID,
                        "Cannot commit shuffle " + name + ": map "
                                + first.name().map() + " has " + count.getAsInt() + " partitions, and map "
                                + blob.name().map() + " has " + own.getAsInt() + ". Write all maps with one number.");
            }
            first = blob;
            count = own;
        }
    }

    /** Stores a commitment next to the blobs. If all blobs are in memory, the commitment is too. */
    private void store(Commitment next) {
        Optional<BlobRoot> home = roots.stream()
                .filter(root -> root.changedMillis(name).isPresent())
                .findFirst();
        if (home.isEmpty() && !hasMemory()) {
            throw new BlobMissingException("Cannot commit shuffle " + name + ": it was released.");
        }
        home.ifPresent(root -> root.write(name, Commitment.FILE, next.encode()));
        isCommitStored = home.isPresent();
    }

    /** The committed attempt of a map, if its blob still exists. */
    private Optional<StoredBlob> kept(long map) {
        Commitment present = committed();
        return present == null || map >= present.blobs().size()
                ? Optional.empty()
                : find(present.blobs().get((int) map).name());
    }

    /** Deletes all blobs. Streams with an open blob can finish reading it. */
    synchronized void release() {
        blobs.all().forEach(blob -> {
            footers.remove(blob);
            place.tier().remove(blob);
            blob.giveUp();
        });
        blobs.clear();
        copies.clear();
        memoryBlobs = 0;
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
