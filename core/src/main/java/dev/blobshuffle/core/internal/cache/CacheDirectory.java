package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory of the cache on disk. Its file names are its index, so the content survives a
 * restart of the process. Writes are not forced to the device: if a crash truncates a file, its
 * checksums do not match. A lock keeps other processes out. Thread-safe; methods that block for I/O
 * say so.
 */
final class CacheDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(CacheDirectory.class);

    /** The time for which writes skip a directory that failed or is full. */
    private static final long FAILING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String FORM = "%s-%d-%d.%016x.part";
    private static final Pattern NAME =
            Pattern.compile("([0-9a-f-]+)-([0-9]{1,19})-([0-9]{1,19})\\.[0-9a-f]{16}\\.part");

    private final Path path;
    private final int store;
    private final Time time;
    private final FileChannel lock;
    private final LeasedEntries<PartFile> entries;

    /** Set until writes may use the directory again. */
    private volatile boolean failing;

    private volatile long failedNanos;
    private volatile boolean isClosed;

    private CacheDirectory(Path path, int store, long capacity, Time time, FileChannel lock, IntConsumer whenEvicted) {
        this.path = path;
        this.store = store;
        this.time = time;
        this.lock = lock;
        entries = new LeasedEntries<>(capacity, this::gone, whenEvicted);
    }

    /**
     * Opens a directory with its earlier content; creates it if it does not exist. Blocks.
     *
     * @param store fingerprint of the store; parts from other stores are removed
     * @throws InvalidSettingsException fatal: the directory cannot be used, or another process uses
     *     it
     */
    static CacheDirectory open(Path path, int store, long capacity, Time time, IntConsumer whenEvicted) {
        Path parts = path.resolve(String.format(Locale.ROOT, "parts-%08x", store));
        try {
            PrivateFiles.createDirectories(parts);
            FileChannel lock = lock(path);
            try {
                CacheDirectory directory = new CacheDirectory(parts, store, capacity, time, lock, whenEvicted);
                directory.removeOthers(path);
                directory.load();
                return directory;
            } catch (IOException | RuntimeException | Error e) {
                lock.close(); // Otherwise this process could not try again.
                throw e;
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new InvalidSettingsException(
                    "Cannot cache in " + path + ": " + e + ". Give cache.disk.dirs directories that can be written.",
                    e);
        }
    }

    private static FileChannel lock(Path path) throws IOException {
        FileChannel channel = PrivateFiles.openOrCreate(path.resolve("lock"));
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // This process already holds the lock.
        }
        channel.close();
        throw new InvalidSettingsException("Cannot cache in " + path
                + ": another instance does. Give each instance directories of its own in cache.disk.dirs.");
    }

    private void removeOthers(Path root) throws IOException {
        try (DirectoryStream<Path> others = Files.newDirectoryStream(root, "parts-*")) {
            for (Path other : others) {
                if (!other.equals(path)) {
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(other, "*.part")) {
                        for (Path file : files) {
                            Files.deleteIfExists(file);
                        }
                    }
                    Files.deleteIfExists(other);
                }
            }
        }
    }

    private record Found(PartFile file, long modifiedMillis) {}

    private void load() throws IOException {
        List<Found> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                CachedPart part = parse(file.getFileName().toString());
                if (part != null && Files.size(file) == PartFile.fileLength(part.length())) {
                    long modified = Files.getLastModifiedTime(file).toMillis();
                    found.add(new Found(new PartFile(file, part, store), modified));
                } else {
                    Files.deleteIfExists(file);
                }
            }
        }
        found.sort(Comparator.comparingLong(Found::modifiedMillis));
        for (Found old : found) {
            long bytes = PartFile.fileLength(old.file().part().length());
            if (entries.reserve(bytes)) {
                entries.insert(old.file().part(), old.file(), bytes).close();
            } else {
                gone(old.file());
            }
        }
    }

    private static @Nullable CachedPart parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            return null;
        }
        try {
            Optional<BlobId> id = BlobId.parse(matcher.group(1));
            long length = Long.parseLong(matcher.group(3));
            return id.isEmpty() || length < 1 || length > DiskCachedBlobStore.LARGEST_PART
                    ? null
                    : new CachedPart(id.get(), Long.parseLong(matcher.group(2)), length);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    LeasedEntries<PartFile>.@Nullable Lease lease(CachedPart part) {
        return entries.lease(part);
    }

    boolean isFailing() {
        return failing && time.nanos() - failedNanos < FAILING_NANOS;
    }

    /**
     * Keeps a part. Blocks. After a failure, such as a full disk, no bytes of the part remain.
     *
     * @param buffers its bytes; consumed
     * @return whether there was room
     */
    boolean write(CachedPart part, List<ByteBuffer> buffers) throws IOException {
        long bytes = PartFile.fileLength(part.length());
        if (!entries.reserve(bytes)) {
            return false;
        }
        String name = String.format(Locale.ROOT, FORM, part.blob(), part.offset(), part.length(), time.randomLong());
        Path draft = path.resolve(name + ".tmp");
        boolean isWritten = false;
        try {
            PartFile.write(draft, buffers, part, store);
            PartFile file = new PartFile(path.resolve(name), part, store);
            Files.move(draft, file.path(), StandardCopyOption.ATOMIC_MOVE);
            isWritten = true;
            entries.insert(part, file, bytes).close();
            failing = false;
            return true;
        } finally {
            if (!isWritten) {
                failedNanos = time.nanos();
                failing = true;
                entries.giveBack(bytes);
                Files.deleteIfExists(draft);
            }
        }
    }

    /** The entries of the directory. Forgetting a part removes its file, which blocks. */
    LeasedEntries<PartFile> entries() {
        return entries;
    }

    private void gone(PartFile file) {
        if (isClosed) {
            return; // The file stays for the next start.
        }
        try {
            file.delete();
        } catch (IOException e) {
            LOG.debug("Could not remove {}; the next start does.", file.path(), e);
        }
    }

    /** Releases the directory; its files stay. Idempotent. */
    void close() {
        isClosed = true;
        entries.close();
        try {
            lock.close();
        } catch (IOException e) {
            LOG.debug("Could not close the lock of {}.", path, e);
        }
    }
}
