package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging area for the blobs that one process is writing: a directory, and a file next to it
 * that the process keeps locked. Several processes share a store. The lock ends with its process,
 * so others recognise and remove the area of a dead process. If a process pauses between creating
 * and locking the file, others may remove its area. Then only one put fails and is repeated,
 * because a blob exists only after its rename. Thread-safe.
 */
final class StagingArea {
    private static final Logger LOG = LoggerFactory.getLogger(StagingArea.class);

    /**
     * Lock files younger than this are not touched, because their process may not have locked them
     * yet.
     */
    private static final long YOUNG_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private static final String LOCK_SUFFIX = ".lock";

    /**
     * The lock files of this process. Opening and closing one of them again would end its lock
     * (POSIX), so they are not touched.
     */
    private static final Set<Path> OWN_LOCKS = ConcurrentHashMap.newKeySet();

    private final Path root;
    private final Path own;
    private final Path lockFile;
    private final Time time;
    private final AtomicLong drafts = new AtomicLong();

    /** Open while the area is in use; guarded by this. */
    private @Nullable FileChannel lock;

    /** Guarded by this. */
    private boolean closed;

    StagingArea(Path root, Time time) {
        this.root = root;
        this.time = time;
        String name = String.format(Locale.ROOT, "%016x", time.randomLong());
        own = root.resolve(name);
        lockFile = root.resolve(name + LOCK_SUFFIX);
    }

    /** Creates the area, again if necessary, and removes those of dead processes. */
    synchronized void open() throws IOException {
        if (closed) {
            throw new IOException(own + " is closed");
        }
        releaseLock();
        PrivateFiles.createDirectories(own);
        OWN_LOCKS.add(lockFile);
        FileChannel channel = PrivateFiles.openOrCreate(lockFile);
        lock = channel;
        if (channel.tryLock() == null) {
            throw new IOException(lockFile + " is locked by another process");
        }
        removeDead();
    }

    /** A path for a blob to write; the file does not exist yet. */
    Path newDraft() throws IOException {
        if (!Files.isDirectory(own)) {
            open(); // The directory was unavailable when the store was opened, or another process removed it as dead.
        }
        return own.resolve(drafts.incrementAndGet() + ".tmp");
    }

    /** The current time by the clock that dates the files of this directory. */
    Instant now() throws IOException {
        Path draft = newDraft();
        try {
            PrivateFiles.create(draft).close();
            return Files.getLastModifiedTime(draft).toInstant();
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private void removeDead() throws IOException {
        try (DirectoryStream<Path> lockFiles = Files.newDirectoryStream(root, "*" + LOCK_SUFFIX)) {
            for (Path other : lockFiles) {
                if (!OWN_LOCKS.contains(other) && isDead(other)) {
                    remove(other);
                }
            }
        }
    }

    private boolean isDead(Path other) {
        try {
            if (time.wallMillis() - Files.getLastModifiedTime(other).toMillis() < YOUNG_MILLIS) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(other, StandardOpenOption.WRITE);
                    FileLock taken = channel.tryLock()) {
                return taken != null;
            }
        } catch (IOException | OverlappingFileLockException e) {
            return false; // Another process has just removed it, or this process may not open it.
        }
    }

    private static void remove(Path otherLock) {
        String lockName = otherLock.getFileName().toString();
        Path area = otherLock.resolveSibling(lockName.substring(0, lockName.length() - LOCK_SUFFIX.length()));
        try {
            int removed = 0;
            try (DirectoryStream<Path> left = Files.newDirectoryStream(area, "*.tmp")) {
                for (Path draft : left) {
                    removed += Files.deleteIfExists(draft) ? 1 : 0;
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // The process never wrote a draft, or another process is removing the area.
            }
            Files.deleteIfExists(area);
            Files.deleteIfExists(otherLock);
            LOG.debug("Removed {} unfinished blobs that an ended process had left in {}.", removed, area);
        } catch (IOException e) {
            LOG.debug("Could not remove {}; the next start tries again.", area, e);
        }
    }

    /**
     * Removes the area. If a blob is still being written, the area stays until any process starts.
     * Idempotent.
     */
    synchronized void close() {
        closed = true;
        if (lock == null) {
            return;
        }
        try {
            Files.deleteIfExists(own);
            Files.deleteIfExists(lockFile);
        } catch (IOException e) {
            LOG.debug("Could not remove {}; a later start does.", own, e);
        }
        try {
            releaseLock();
        } catch (IOException e) {
            LOG.debug("Could not close {}.", lockFile, e);
        }
    }

    private synchronized void releaseLock() throws IOException {
        FileChannel channel = lock;
        lock = null;
        if (channel != null) {
            channel.close();
            OWN_LOCKS.remove(lockFile);
        }
    }
}
