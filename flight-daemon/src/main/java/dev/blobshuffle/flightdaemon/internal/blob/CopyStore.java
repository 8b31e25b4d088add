package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * The copies of a namespace's shuffles in a store. Names are those of the Python package:
 * {@code shuffles/SHUFFLE/BLOB}. The commit of a shuffle is stored after its blobs and deleted
 * before them, so a shuffle with a commit has all its blobs. Blocks on the network. Thread-safe.
 */
public final class CopyStore implements AutoCloseable {
    private final NamedBlobs store;
    private final CopyGate gate;
    private final Map<String, Copying> copied = new ConcurrentHashMap<>();
    private final LongAdder reads = new LongAdder();
    private final LongAdder readBytes = new LongAdder();

    /** The state of a shuffle since copying it began. */
    public enum Copying {
        /** The shuffle is not released. */
        WANTED,
        /** The release has begun. */
        RELEASING,
        /** The release has ended. Blobs in transfer may still have arrived afterwards. */
        RELEASED
    }

    /**
     * The content of the store for a shuffle.
     *
     * @param commitment the attempts that readers use; empty if not all blobs have arrived
     * @param lengths of the files, by name
     */
    record Found(Optional<Commitment> commitment, Map<String, Long> lengths) {}

    /** Takes ownership of the store. */
    public CopyStore(NamedBlobs store, Time time) {
        this.store = store;
        gate = new CopyGate(time);
    }

    /** The location of the copies. */
    public String location() {
        return store.location();
    }

    private static String directory(String shuffle) {
        return "shuffles/" + shuffle + "/";
    }

    /** Looks up a shuffle for a reader. */
    Found look(String shuffle) {
        return gate.ask(() -> {
            Map<String, Long> lengths = lengths(shuffle);
            Optional<Commitment> commitment =
                    commit(shuffle, lengths).map(bytes -> Commitment.decode(bytes, shuffle + " in " + location()));
            return new Found(commitment, lengths);
        });
    }

    /**
     * Reads a part of a blob for a reader.
     *
     * @param target filled from its position to its limit
     * @throws BlobMissingException recoverable: the copy no longer exists
     * @throws dev.blobshuffle.core.failure.BlobCorruptException fatal: the copy is too short
     */
    void read(String shuffle, String file, long offset, ByteBuffer target) {
        int position = target.position();
        boolean ignored = gate.ask(() -> {
            store.read(directory(shuffle) + file, offset, target.position(position));
            return true;
        });
        reads.increment();
        readBytes.add(target.position() - position);
    }

    /** The number of reads from copies, including footers. */
    public long reads() {
        return reads.sum();
    }

    /** The bytes of these reads. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** The lengths of a shuffle's files, by name. */
    public Map<String, Long> lengths(String shuffle) {
        String directory = directory(shuffle);
        Map<String, Long> lengths = new HashMap<>();
        for (NamedBlobs.Entry entry : store.list(directory)) {
            lengths.put(entry.name().substring(directory.length()), entry.length());
        }
        return lengths;
    }

    /**
     * The stored commit of a shuffle; empty if it was deleted or never stored.
     *
     * @param lengths of the shuffle's files
     */
    public Optional<byte[]> commit(String shuffle, Map<String, Long> lengths) {
        Long length = lengths.get(Commitment.FILE);
        if (length == null) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(length, Commitment.LONGEST));
        try {
            store.read(directory(shuffle) + Commitment.FILE, 0, bytes);
            return Optional.of(bytes.array());
        } catch (BlobMissingException e) {
            return Optional.empty(); // The shuffle has been released meanwhile.
        }
    }

    /**
     * Stores a copy of a blob.
     *
     * @param isAbandoned checked before each piece of the blob; true ends the request
     * @throws ClosedException the request was abandoned
     */
    public void put(String shuffle, StoredBlob blob, BooleanSupplier isAbandoned) {
        try (OpenBlob open = blob.open()) {
            PiecedContent content = PiecedContent.of(
                    open.length(),
                    (offset, piece) -> {
                        if (isAbandoned.getAsBoolean()) {
                            throw new ClosedException(
                                    "Cannot copy a blob: the daemon ends. It is copied after the next start.");
                        }
                        open.fill(offset, piece);
                    },
                    () -> {});
            store.put(directory(shuffle) + blob.name().file(), content);
        }
    }

    /** Stores the commit of a shuffle after all its blobs have arrived. */
    public void putCommit(String shuffle, byte[] commit) {
        store.put(directory(shuffle) + Commitment.FILE, BlobContent.of(commit));
    }

    /** Records that copying of a shuffle begins, or continues after a release. */
    public void want(String shuffle) {
        copied.put(shuffle, Copying.WANTED);
    }

    /** Records that copying of a shuffle has ended. */
    public void forget(String shuffle) {
        copied.remove(shuffle);
    }

    /** The state of a shuffle since {@link #want}. */
    public Copying copying(String shuffle) {
        return copied.getOrDefault(shuffle, Copying.WANTED);
    }

    /**
     * Deletes the copies of a shuffle, then its files in the directories. If the store fails, the
     * directories stay unchanged.
     */
    void release(String shuffle, Runnable directories) {
        mark(shuffle, Copying.RELEASING);
        boolean isDone = false;
        try {
            delete(shuffle);
            directories.run();
            isDone = true;
        } finally {
            mark(shuffle, isDone ? Copying.RELEASED : Copying.WANTED);
        }
    }

    private void mark(String shuffle, Copying state) {
        copied.computeIfPresent(shuffle, (name, before) -> state);
    }

    /** Deletes the copies of a shuffle. Idempotent. */
    public void delete(String shuffle) {
        List<String> names = new ArrayList<>();
        store.list(directory(shuffle)).forEach(entry -> names.add(entry.name()));
        String commit = directory(shuffle) + Commitment.FILE;
        if (names.remove(commit)) {
            store.delete(List.of(commit));
        }
        if (!names.isEmpty()) {
            store.delete(names);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
