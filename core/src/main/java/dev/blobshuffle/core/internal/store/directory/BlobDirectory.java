package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.Time;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One directory of a file store. It holds blobs under their keys, and a staging area for blobs
 * being written. Blocks its caller for I/O. Thread-safe.
 */
final class BlobDirectory {
    /** The name of the directory of drafts. */
    static final String STAGING = "staging";

    /** The time for which puts skip a directory that failed. */
    private static final long FAILING_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Length of the window of direct memory that bytes pass through. Arrays on the heap must be
     * copied to direct memory anyway, and a window of this size stays in the processor's cache.
     */
    private static final int WINDOW_LENGTH = 128 << 10;

    /**
     * The most attempts to rename a blob, because a sweep may remove its directory at the same
     * time.
     */
    private static final int MOST_ATTEMPTS = 5;

    private static final boolean IS_WINDOWS = File.separatorChar == '\\';
    private static final ThreadLocal<ByteBuffer> WINDOW =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(WINDOW_LENGTH));

    /** Used before {@link #open}; admits no directory. */
    private static final StoreMembers NO_STORE = new StoreMembers("", 0, Optional.empty());

    private final Path path;
    private final Time time;
    private final StagingArea staging;
    private final DirectoryListing listing;

    private volatile StoreMembers members = NO_STORE;
    private volatile Optional<String> id = Optional.empty();

    /** The stamp of the marker that was read last. */
    private volatile Stamp checked = Stamp.NONE;

    /** Set until puts may use the directory again. */
    private volatile boolean failing;

    private volatile long failedNanos;

    /** For each shard, the directory of a generation whose entry is known to be durable. */
    private final AtomicReferenceArray<@Nullable Entry> durableGenerations = new AtomicReferenceArray<>(BlobKey.SHARDS);

    BlobDirectory(Path path, Time time) {
        this.path = path;
        this.time = time;
        staging = new StagingArea(path.resolve(STAGING), time);
        listing = new DirectoryListing(path);
    }

    Path path() {
        return path;
    }

    /** The marker; empty if there is none. */
    Optional<DirectoryMarker> marker() throws IOException {
        return DirectoryMarker.read(path);
    }

    /**
     * Prepares the directory for blobs.
     *
     * @param members decides whether the directory may be used
     */
    void open(StoreMembers members) throws IOException {
        this.members = members;
        requireThere();
        staging.open();
    }

    /** Skips the directory until it is available. */
    void await(StoreMembers members) {
        this.members = members;
        fail();
    }

    /**
     * The directory's id; empty until the directory is available, or if its marker does not name
     * it.
     */
    Optional<String> id() {
        return id;
    }

    /**
     * Checks that the directory is available and belongs to the store. Reads the marker again only
     * if its file has changed.
     *
     * @throws IOException the directory must not be used
     */
    void requireThere() throws IOException {
        Stamp now;
        try {
            now = Stamp.of(path.resolve(StoreMarker.NAME));
        } catch (NoSuchFileException e) {
            throw notThere();
        }
        if (!now.equals(checked)) {
            try {
                id = members.admit(path, marker().orElseThrow(this::notThere));
            } catch (InvalidSettingsException e) {
                throw new IOException(path + " has a marker that cannot be read: " + e.getMessage(), e);
            }
            checked = now;
        }
        if (id.isPresent()) {
            members.requireMember(path, id.get());
        }
    }

    private IOException notThere() {
        return new NotDirectoryException(path + " (does not exist, or is not mounted)");
    }

    /** The attributes that differ if another file has the marker's name. */
    private record Stamp(@Nullable Object key, FileTime modified, long size) {
        static final Stamp NONE = new Stamp(null, FileTime.fromMillis(0), -1);

        static Stamp of(Path marker) throws IOException {
            BasicFileAttributes now = Files.readAttributes(marker, BasicFileAttributes.class);
            return new Stamp(now.fileKey(), now.lastModifiedTime(), now.size());
        }
    }

    boolean isFailing() {
        return failing && time.nanos() - failedNanos < FAILING_NANOS;
    }

    void fail() {
        failedNanos = time.nanos();
        failing = true;
    }

    /** Stores a blob. After a failure no bytes of the blob remain. */
    void write(BlobId id, BlobContent content, Fsync fsync) throws IOException {
        try {
            requireThere();
            Path draft = staging.newDraft();
            try {
                writeDraft(draft, content, fsync);
                publish(draft, id, fsync);
                // If the directory was unmounted, the blob went to the mount point, where no reader
                // finds it.
                requireThere();
            } finally {
                Files.deleteIfExists(draft);
            }
            failing = false;
        } catch (IOException e) {
            fail();
            throw e;
        }
    }

    private static void writeDraft(Path draft, BlobContent content, Fsync fsync) throws IOException {
        try (FileChannel channel = PrivateFiles.create(draft)) {
            ByteBuffer window = WINDOW.get().clear();
            for (ByteBuffer buffer : content.buffers()) {
                copy(buffer, window, channel);
            }
            drain(window, channel);
            if (channel.position() != content.length()) {
                throw new IllegalStateException("Cannot store a blob: its content has " + channel.position()
                        + " bytes, but claims " + content.length() + ".");
            }
            if (fsync == Fsync.BLOB) {
                channel.force(false);
            }
        }
    }

    private static void copy(ByteBuffer buffer, ByteBuffer window, FileChannel channel) throws IOException {
        int limit = buffer.limit();
        while (buffer.position() < limit) {
            buffer.limit(buffer.position() + Math.min(limit - buffer.position(), window.remaining()));
            window.put(buffer);
            if (!window.hasRemaining()) {
                drain(window, channel);
            }
            buffer.limit(limit);
        }
    }

    private static void drain(ByteBuffer window, FileChannel channel) throws IOException {
        window.flip();
        while (window.hasRemaining()) {
            int ignored = channel.write(window);
        }
        window.clear();
    }

    /**
     * Renames a draft to its key. The generation's directory and its parents may be missing, or a
     * sweep that emptied them may remove them at the same moment.
     */
    private void publish(Path draft, BlobId id, Fsync fsync) throws IOException {
        Path target = path.resolve(BlobKey.of(id));
        Path generation = parent(target);
        requireNoLinks(generation);
        boolean made = false;
        for (int attempt = 1; ; attempt++) {
            try {
                Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
                break;
            } catch (NoSuchFileException e) {
                if (attempt == MOST_ATTEMPTS || !Files.exists(draft)) {
                    throw e;
                }
                made |= make(generation);
            }
        }
        if (fsync == Fsync.BLOB) {
            force(generation);
            // Another process may have created the directory, perhaps in place of one that a sweep
            // removed, without having forced its entry.
            Entry entry = Entry.of(generation);
            if (made || !entry.equals(durableGenerations.get(BlobKey.shard(id)))) {
                for (Path above = parent(generation); !above.equals(path); above = parent(above)) {
                    force(above);
                }
                force(path);
                durableGenerations.set(BlobKey.shard(id), entry);
            }
        }
    }

    /**
     * The identity of the directory that has a path now. A later directory at this path may have
     * the same file key, but has another creation time. Some file systems and JDKs report the time
     * of the last change instead. Each put changes that time, and so forces more than necessary.
     */
    private record Entry(Path path, @Nullable Object key, FileTime created) {
        static Entry of(Path directory) throws IOException {
            BasicFileAttributes now = Files.readAttributes(directory, BasicFileAttributes.class);
            return new Entry(directory, now.fileKey(), now.creationTime());
        }
    }

    /**
     * Creates a directory and its parents. Returns false if a sweep removed one of them at the same
     * time: before its child was created, or after another put had created it and before the JDK
     * checked it.
     */
    private static boolean make(Path generation) throws IOException {
        try {
            PrivateFiles.createDirectories(generation);
            return true;
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
            return false;
        }
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("Cannot find the directory of " + path + ": it is a root.");
        }
        return parent;
    }

    /**
     * Makes a directory's entries durable. Windows offers no such call and makes them durable
     * itself.
     */
    static void force(Path directory) throws IOException {
        if (!IS_WINDOWS) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * Reads a part of a blob.
     *
     * @param buffers provides the memory for the bytes
     * @throws NoSuchFileException if the blob is not here
     */
    BlobBytes read(BlobId id, BlobRange range, ReadBuffers buffers) throws IOException {
        Path blob = path.resolve(BlobKey.of(id));
        requireNoLinks(parent(blob));
        try (FileChannel channel = PrivateFiles.read(blob)) {
            long length = channel.size();
            if (range.end() > length) {
                throw range.outside(id, length, toString());
            }
            BlobBytes bytes = buffers.lend((int) range.length());
            try {
                fill(bytes.buffer().duplicate(), channel, id, range);
                return bytes;
            } catch (IOException | RuntimeException e) {
                bytes.close();
                throw e;
            }
        }
    }

    /**
     * Refuses symbolic links. Otherwise anyone with write access to the directory could redirect
     * reads and writes outside it.
     */
    private void requireNoLinks(Path generation) throws IOException {
        for (Path at = generation; !at.equals(path); at = parent(at)) {
            if (Files.isSymbolicLink(at)) {
                throw new FileSystemException(at.toString(), null, "a symbolic link, which a store does not follow");
            }
        }
    }

    private void fill(ByteBuffer buffer, FileChannel channel, BlobId id, BlobRange range) throws IOException {
        int length = buffer.limit();
        while (buffer.position() < length) {
            // The read is split into windows, because the JDK allocates direct memory as large as
            // each single read.
            buffer.limit(Math.min(length, buffer.position() + WINDOW_LENGTH));
            if (channel.read(buffer, range.offset() + buffer.position()) < 0) {
                throw range.outside(id, range.offset() + buffer.position(), toString());
            }
        }
    }

    /**
     * The length of a blob, bytes.
     *
     * @throws NoSuchFileException if the blob is not here
     */
    long length(BlobId id) throws IOException {
        Path blob = path.resolve(BlobKey.of(id));
        requireNoLinks(parent(blob));
        return Files.readAttributes(blob, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .size();
    }

    /** Deletes blobs, and the directories of generations, shards and owners that become empty. */
    void delete(Collection<BlobId> ids) throws IOException {
        Set<Path> generations = new HashSet<>();
        for (BlobId id : ids) {
            Path blob = path.resolve(BlobKey.of(id));
            requireNoLinks(parent(blob));
            if (Files.deleteIfExists(blob)) {
                generations.add(parent(blob));
            }
        }
        Path root = path.resolve(BlobKey.ROOT);
        for (Path generation : generations) {
            removeEmpty(generation, root);
        }
    }

    private static void removeEmpty(Path lowest, Path root) throws IOException {
        try {
            for (Path at = lowest; !at.equals(root); at = parent(at)) {
                Files.deleteIfExists(at);
            }
        } catch (DirectoryNotEmptyException e) {
            // The directory holds other blobs.
        }
    }

    /** The current time by the clock that dates the files of this directory. */
    Instant now() throws IOException {
        return staging.now();
    }

    /** The names of its blobs. */
    DirectoryListing listing() {
        return listing;
    }

    /** Whether the directory holds a value of a register. */
    boolean hasRegister() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, FileRegisters.PREFIX + "*")) {
            return files.iterator().hasNext();
        }
    }

    /** Whether a store was ever opened in the directory. */
    boolean isUsed() {
        return Files.exists(path.resolve(STAGING)) || Files.exists(path.resolve(BlobKey.ROOT));
    }

    void close() {
        staging.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
