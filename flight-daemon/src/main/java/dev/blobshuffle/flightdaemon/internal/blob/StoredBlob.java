package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.internal.format.Container;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A blob in a directory, in memory or in the store of copies. Its content is read on request. Blobs
 * are compared by instance: a blob that disappears and reappears is a new instance. Thread-safe.
 */
public final class StoredBlob {
    private final String shuffle;
    private final BlobName name;
    private final FooterCache<StoredBlob, BlobFooter> footers;

    /** The directory of its file; null if it has none. */
    private volatile @Nullable BlobRoot root;

    /** Its bytes in memory; null if they are in the file or released. */
    private volatile @Nullable MemoryContent content;

    /** Its copy in a store, if only the copy exists; else null. */
    private final @Nullable Copy copy;

    /** The fingerprint of the blob from its first read or its commit. */
    private volatile @Nullable Fingerprint expected;

    /** Whether the copy has been compared to the commit. */
    private volatile boolean isCopyChecked;

    /**
     * A copy.
     *
     * @param store of the copy
     * @param length in the store's listing, bytes
     * @param committed the required fingerprint
     */
    record Copy(CopyStore store, long length, Fingerprint committed) {}

    StoredBlob(BlobRoot root, String shuffle, BlobName name, FooterCache<StoredBlob, BlobFooter> footers) {
        this.root = root;
        this.shuffle = shuffle;
        this.name = name;
        this.footers = footers;
        copy = null;
    }

    /** A blob in memory. */
    StoredBlob(MemoryContent content, String shuffle, BlobName name, FooterCache<StoredBlob, BlobFooter> footers) {
        this.content = content;
        this.shuffle = shuffle;
        this.name = name;
        this.footers = footers;
        copy = null;
    }

    /** A blob of which only the copy exists. */
    StoredBlob(Copy copy, String shuffle, BlobName name, FooterCache<StoredBlob, BlobFooter> footers) {
        this.copy = copy;
        this.shuffle = shuffle;
        this.name = name;
        this.footers = footers;
        expected = copy.committed();
    }

    /** Whether the blob is read from a store. */
    public boolean isCopy() {
        return copy != null;
    }

    /** Whether the blob is this copy. */
    boolean isCopy(Copy other) {
        return other.equals(copy);
    }

    /** Whether the bytes are in memory only. A restart loses them. */
    public boolean isInMemory() {
        return content != null;
    }

    /** The bytes, if they are in memory. */
    Optional<MemoryContent> content() {
        return Optional.ofNullable(content);
    }

    /** Records that a directory has the bytes now, and releases them in memory. */
    void movedTo(BlobRoot directory) {
        root = directory;
        giveUp();
    }

    /** Releases the bytes in memory. Readers can finish. Idempotent. */
    void giveUp() {
        MemoryContent held = content;
        content = null;
        if (held != null) {
            held.drop();
        }
    }

    /** Map, attempt and id. */
    public BlobName name() {
        return name;
    }

    /** Requires this fingerprint from now on. */
    void expect(Fingerprint fingerprint) {
        expected = fingerprint;
    }

    /**
     * Opens the blob, and checks its length and its footer's checksum against the registered blob.
     * A copy is checked once, because a store does not replace content. Later reads of the copy are
     * verified against the footer's checksums.
     *
     * @throws dev.blobshuffle.core.failure.BlobMissingException recoverable: the blob no longer
     *     exists
     * @throws dev.blobshuffle.core.failure.BlobCorruptException fatal: it is a different blob, or
     *     damaged
     */
    public OpenBlob open() {
        OpenBlob blob = openBytes();
        try {
            Fingerprint before = expected;
            if (before != null
                    && !isCopyChecked
                    && (before.length() != blob.length() || !before.equals(blob.fingerprint()))) {
                footers.remove(this);
                throw blob.corrupt("it was replaced or truncated after it had been registered");
            }
            isCopyChecked = copy != null;
            return blob;
        } catch (RuntimeException e) {
            blob.close();
            throw e;
        }
    }

    private OpenBlob openBytes() {
        Copy present = copy;
        if (present != null) {
            return new OpenBlob(present.store(), shuffle, name.file(), present.length(), toString());
        }
        MemoryContent held = content;
        if (held != null && held.use()) {
            return new OpenBlob(held, toString());
        }
        BlobRoot home = root;
        if (home == null) {
            throw new BlobMissingException("Cannot open " + this + ": it was released.");
        }
        return new OpenBlob(home.open(shuffle, name.file()), toString());
    }

    /**
     * The blob's id, its length and its footer's checksum. Different bytes have a different
     * identity.
     */
    public String identity(OpenBlob blob) {
        Copy present = copy;
        Fingerprint fingerprint = present == null ? blob.fingerprint() : present.committed();
        return name.id() + "-" + Long.toHexString(fingerprint.length()) + "-"
                + HexFormat.of().toHexDigits(fingerprint.footerChecksum());
    }

    /** The footer, if it is in memory. */
    public Optional<BlobFooter> heldFooter() {
        return footers.get(this);
    }

    /** The footer, from memory or else through {@link #open}. */
    public BlobFooter footer() {
        Optional<BlobFooter> held = heldFooter();
        if (held.isPresent()) {
            return held.get();
        }
        try (OpenBlob blob = open()) {
            return footer(blob);
        }
    }

    /** The footer, from memory or else from the open blob. */
    public BlobFooter footer(OpenBlob blob) {
        Optional<BlobFooter> held = heldFooter();
        if (held.isPresent()) {
            return held.get();
        }
        BlobFooter read = blob.footer();
        checkIsNamed(blob, read.container());
        expected = read.fingerprint();
        footers.put(this, read);
        return read;
    }

    /** Requires that the blob's content matches its name and its shuffle. */
    private void checkIsNamed(OpenBlob blob, Container container) {
        if (!container.id().equals(name.id())) {
            throw blob.corrupt("it is blob " + container.id());
        }
        Optional<Container.Origin> named = Optional.of(new Container.Origin(shuffle, name.map(), name.attempt()));
        for (Container.Segment segment : container.segments()) {
            if (!segment.origin().equals(named)) {
                throw blob.corrupt("it has a segment of " + segment.origin());
            }
        }
    }

    Fingerprint fingerprint() {
        Copy present = copy;
        return present == null ? footer().fingerprint() : present.committed();
    }

    @Override
    public String toString() {
        Copy present = copy;
        return "map " + name.map() + ", attempt " + name.attempt() + ", of shuffle " + shuffle + " from " + name.file()
                + (present == null ? "" : ", its copy in " + present.store().location());
    }
}
