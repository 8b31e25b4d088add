package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Blobs as files below a directory, by their names. The directory must exist whenever it is used: a
 * file system that is not mounted is unavailable, not empty. A blob is written under a name that
 * ends with {@code .tmp}, forced to the device as {@link Fsync} defines, and renamed. Thread-safe.
 */
final class FileNamedBlobs implements NamedBlobs {
    private static final KeyPrefix NONE = new KeyPrefix("");
    private static final String TEMPORARY = ".tmp";

    /** The JDK allocates direct memory as large as each single read or write. */
    private static final int STEP = 128 << 10;

    private final Path root;
    private final Fsync fsync;
    private final Time time;

    FileNamedBlobs(Path root, Fsync fsync, Time time) {
        this.root = root;
        this.fsync = fsync;
        this.time = time;
    }

    private Path path(String name) {
        return root.resolve(NONE.named(name));
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("Cannot find the directory of " + file + ": it is a root.");
        }
        return parent;
    }

    @Override
    public void put(String name, BlobContent content) {
        Path target = path(name);
        Path draft =
                target.resolveSibling(target.getFileName() + "." + Long.toHexString(time.randomLong()) + TEMPORARY);
        try {
            requireThere();
            PrivateFiles.createDirectories(parent(target));
            try {
                write(draft, content);
                Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                boolean ignored = Files.deleteIfExists(draft);
            }
            if (fsync == Fsync.BLOB) {
                for (Path at = parent(target); at.startsWith(root); at = parent(at)) {
                    force(at);
                }
            }
        } catch (IOException e) {
            throw unavailable("store " + name, e);
        }
    }

    private void requireThere() throws IOException {
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root + " (does not exist, or is not mounted)");
        }
    }

    private void write(Path draft, BlobContent content) throws IOException {
        try (FileChannel channel = PrivateFiles.create(draft)) {
            for (ByteBuffer buffer : content.buffers()) {
                while (buffer.hasRemaining()) {
                    int step = Math.min(STEP, buffer.remaining());
                    int written = channel.write(buffer.slice(buffer.position(), step));
                    buffer.position(buffer.position() + written);
                }
            }
            if (channel.position() != content.length()) {
                throw new IOException(channel.position() + " bytes were written, not " + content.length());
            }
            if (fsync == Fsync.BLOB) {
                channel.force(false);
            }
        }
    }

    private static void force(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public void read(String name, long offset, ByteBuffer target) {
        int start = target.position();
        int limit = target.limit();
        try (FileChannel channel = PrivateFiles.read(path(name))) {
            while (target.position() < limit) {
                target.limit(Math.min(limit, target.position() + STEP));
                int count = channel.read(target, offset + target.position() - start);
                target.limit(limit);
                if (count < 0) {
                    throw new BlobCorruptException("Cannot read " + name + " in " + location() + ": it ends before "
                            + (offset + limit - start) + ". Delete it, and store it again.");
                }
            }
        } catch (NoSuchFileException e) {
            try {
                requireThere();
            } catch (IOException second) {
                throw unavailable("read " + name, second);
            }
            throw new BlobMissingException("Cannot read " + name + ": it is not in " + location() + ".", e);
        } catch (IOException e) {
            throw unavailable("read " + name, e);
        }
    }

    @Override
    public void delete(Collection<String> names) {
        Set<Path> directories = new LinkedHashSet<>();
        try {
            requireThere();
            for (String name : names) {
                Path file = path(name);
                boolean ignored = Files.deleteIfExists(file);
                directories.add(parent(file));
            }
            for (Path directory : directories) {
                deleteIfUnused(directory);
            }
        } catch (IOException e) {
            throw unavailable("delete " + names.size() + " blobs", e);
        }
    }

    /** Deletes a directory without blobs, and with it the drafts of killed processes. */
    private static void deleteIfUnused(Path directory) throws IOException {
        List<Path> drafts = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (!file.toString().endsWith(TEMPORARY)) {
                    return;
                }
                drafts.add(file);
            }
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path draft : drafts) {
            boolean ignored = Files.deleteIfExists(draft);
        }
        try {
            boolean ignored = Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            return; // Another blob is being stored here.
        }
    }

    @Override
    public List<Entry> list(String directory) {
        List<Entry> found = new ArrayList<>();
        try {
            requireThere();
            list(directory, path(directory.substring(0, directory.length() - 1)), found);
        } catch (IOException e) {
            throw unavailable("list " + directory, e);
        }
        return found;
    }

    private static void list(String name, Path directory, List<Entry> found) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String full = name + file.getFileName();
                try {
                    BasicFileAttributes attributes =
                            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                    if (attributes.isDirectory()) {
                        list(full + "/", file, found);
                    } else if (attributes.isRegularFile() && !full.endsWith(TEMPORARY)) {
                        found.add(new Entry(full, attributes.size()));
                    }
                } catch (NoSuchFileException e) {
                    continue; // The file has just been deleted or renamed.
                }
            }
        } catch (NoSuchFileException e) {
            return;
        }
    }

    @Override
    public String location() {
        return "file://" + root;
    }

    private StoreUnavailableException unavailable(String what, IOException cause) {
        return new StoreUnavailableException(
                "Cannot " + what + " in " + location() + ": " + cause
                        + ". Check that the directory is mounted, writable and not full.",
                cause);
    }

    @Override
    public void close() {}
}
