package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A directory in which the daemon may read and release blobs. It opens each path component relative
 * to the parent directory ({@code openat}), and follows no symbolic link. So neither {@code ..} nor
 * a link leads outside, even if a process creates the link at any time. Thread-safe.
 */
final class BlobRoot {
    private static final String SHUFFLES = "shuffles";

    private final Path directory;
    private final OpenDirectories directories = new OpenDirectories();

    /**
     * Opens an existing directory.
     *
     * @throws InvalidSettingsException fatal: it is not a directory, or cannot be read safely
     */
    BlobRoot(Path directory) {
        try {
            this.directory = directory.toRealPath();
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(this.directory)) {
                if (!(stream instanceof SecureDirectoryStream)) {
                    throw new InvalidSettingsException("Cannot serve " + directory
                            + ": its file system cannot open files without following links."
                            + " Use a local directory of Linux or macOS.");
                }
            }
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot serve " + directory + ": " + e + ". Name a directory that exists and that you may read.",
                    e);
        }
    }

    /** The path with all links resolved. */
    Path directory() {
        return directory;
    }

    /** The directories opened on the way to a file. {@link #close} closes them in reverse order. */
    private static final class Way implements AutoCloseable {
        private final List<SecureDirectoryStream<Path>> opened = new ArrayList<>();

        Way(Path root) throws IOException {
            opened.add((SecureDirectoryStream<Path>) Files.newDirectoryStream(root));
        }

        SecureDirectoryStream<Path> last() {
            return opened.get(opened.size() - 1);
        }

        /** @throws NotDirectoryException the name is a link or a file */
        Way down(String name) throws IOException {
            BasicFileAttributes attributes = last().getFileAttributeView(
                            Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            if (!attributes.isDirectory()) {
                throw new NotDirectoryException(name);
            }
            opened.add(last().newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS));
            return this;
        }

        /** The last directory. The caller closes it. */
        SecureDirectoryStream<Path> takeLast() {
            return opened.remove(opened.size() - 1);
        }

        @Override
        public void close() throws IOException {
            for (int i = opened.size() - 1; i >= 0; i--) {
                opened.get(i).close();
            }
        }
    }

    private Way way(String shuffle) throws IOException {
        Way way = new Way(directory);
        try {
            return way.down(SHUFFLES).down(shuffle);
        } catch (IOException | RuntimeException e) {
            way.close();
            throw e;
        }
    }

    /**
     * Opens a file of a shuffle. Keeps the shuffle's directory open for the next call, because
     * opening the directory costs four times as much as opening the file.
     *
     * @throws BlobMissingException recoverable: the file does not exist or is a link
     */
    FileChannel open(String shuffle, String file) {
        Optional<SecureDirectoryStream<Path>> held = directories.held(shuffle);
        if (held.isPresent()) {
            try {
                return open(held.get(), shuffle, file);
            } catch (IOException | ClosedDirectoryStreamException e) {
                // The shuffle was released and created again, or another thread has closed the
                // directory.
                directories.drop(shuffle);
            }
        }
        try (Way way = way(shuffle)) {
            FileChannel channel = open(way.last(), shuffle, file);
            directories.hold(shuffle, way.takeLast());
            return channel;
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw new BlobMissingException(
                    "Cannot open " + place(shuffle, file)
                            + ": it is not there. It was released, or lost with its disk.",
                    e);
        } catch (IOException e) {
            throw unavailable("open " + place(shuffle, file), e);
        }
    }

    private FileChannel open(SecureDirectoryStream<Path> home, String shuffle, String file) throws IOException {
        BasicFileAttributes attributes = home.getFileAttributeView(
                        Path.of(file), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
        if (!attributes.isRegularFile()) {
            throw new BlobMissingException("Cannot open " + place(shuffle, file)
                    + ": it is not a regular file. The daemon follows no links and reads no devices.");
        }
        return (FileChannel)
                home.newByteChannel(Path.of(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * The names of the files of a shuffle.
     *
     * @return empty if the shuffle does not exist
     */
    Optional<List<String>> files(String shuffle) {
        try (Way way = way(shuffle)) {
            return Optional.of(names(way.last()));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw unavailable("list shuffle " + shuffle, e);
        }
    }

    /** The names of the shuffles. */
    List<String> shuffles() {
        try (Way way = new Way(directory).down(SHUFFLES)) {
            return names(way.last()).stream().filter(BlobName::isShuffle).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw unavailable("list shuffles", e);
        }
    }

    /**
     * The last change of a shuffle's directory, milliseconds since the epoch; empty if there is
     * none.
     */
    OptionalLong changedMillis(String shuffle) {
        try {
            return OptionalLong.of(
                    Files.getLastModifiedTime(directory.resolve(SHUFFLES).resolve(shuffle), LinkOption.NOFOLLOW_LINKS)
                            .toMillis());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** The length of a file of a shuffle, bytes; 0 if it no longer exists. */
    long length(String shuffle, String file) {
        try {
            return Files.readAttributes(
                            directory.resolve(SHUFFLES).resolve(shuffle).resolve(file),
                            BasicFileAttributes.class,
                            LinkOption.NOFOLLOW_LINKS)
                    .size();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Writes a small file of a shuffle under a temporary name, then renames it. */
    void write(String shuffle, String file, byte[] content) {
        Path from = Path.of(file + ".tmp");
        try (Way way = way(shuffle)) {
            try (SeekableByteChannel channel = way.last()
                    .newByteChannel(
                            from,
                            Set.of(
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.TRUNCATE_EXISTING,
                                    StandardOpenOption.WRITE,
                                    LinkOption.NOFOLLOW_LINKS))) {
                ByteBuffer left = ByteBuffer.wrap(content);
                while (left.hasRemaining()) {
                    int ignored = channel.write(left);
                }
            }
            way.last().move(from, way.last(), Path.of(file));
        } catch (IOException e) {
            throw unavailable("write " + place(shuffle, file), e);
        }
    }

    /** Bytes that the file system has available for this process; 0 if it does not report them. */
    long freeBytes() {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Bytes of all files of all shuffles. */
    long usedBytes() {
        long used = 0;
        for (String shuffle : shuffles()) {
            for (String file : files(shuffle).orElse(List.of())) {
                used += length(shuffle, file);
            }
        }
        return used;
    }

    /**
     * Creates a file of a shuffle, and the shuffle's directory if it does not exist.
     *
     * @throws StoreUnavailableException recoverable: the disk does not accept the file
     */
    FileChannel create(String shuffle, String file) {
        try {
            return createOnce(shuffle, file);
        } catch (NoSuchFileException e) {
            // The put of another map has deleted the empty directory.
            try {
                return createOnce(shuffle, file);
            } catch (IOException second) {
                throw unavailable("create " + place(shuffle, file), second);
            }
        } catch (IOException e) {
            throw unavailable("create " + place(shuffle, file), e);
        }
    }

    private FileChannel createOnce(String shuffle, String file) throws IOException {
        makeDirectory(directory.resolve(SHUFFLES));
        makeDirectory(directory.resolve(SHUFFLES).resolve(shuffle));
        try (Way way = way(shuffle)) {
            return (FileChannel) way.last()
                    .newByteChannel(
                            Path.of(file),
                            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        }
    }

    /** Marks a shuffle as used: sets the time of its directory. */
    void touch(String shuffle, long wallMillis) {
        try (Way way = way(shuffle)) {
            way.last()
                    .getFileAttributeView(BasicFileAttributeView.class)
                    .setTimes(FileTime.fromMillis(wallMillis), null, null);
        } catch (IOException e) {
            return; // The shuffle was released. The put fails on its next step.
        }
    }

    private static void makeDirectory(Path made) throws IOException {
        try {
            Files.createDirectory(made);
        } catch (FileAlreadyExistsException e) {
            return; // If it is a link, opening it fails later.
        }
    }

    /**
     * Gives a file of a shuffle its final name.
     *
     * @throws StoreUnavailableException recoverable: the file no longer exists, or the disk has
     *     failed
     */
    void rename(String shuffle, String from, String to) {
        try (Way way = way(shuffle)) {
            way.last().move(Path.of(from), way.last(), Path.of(to));
        } catch (IOException e) {
            throw unavailable("commit " + place(shuffle, to), e);
        }
    }

    /** Deletes a file of a shuffle, and then the shuffle's directory if it is empty. */
    void delete(String shuffle, String file) {
        try (Way way = way(shuffle)) {
            way.last().deleteFile(Path.of(file));
            if (!names(way.last()).isEmpty()) {
                return;
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return; // The shuffle has been released meanwhile.
        } catch (IOException e) {
            throw unavailable("delete " + place(shuffle, file), e);
        }
        try (Way way = new Way(directory).down(SHUFFLES)) {
            way.last().deleteDirectory(Path.of(shuffle));
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            return; // The shuffle has been released, or another map has begun.
        } catch (IOException e) {
            throw unavailable("delete shuffle " + shuffle, e);
        }
    }

    /** Deletes all files of a shuffle, then its directory. Idempotent. */
    void delete(String shuffle) {
        directories.drop(shuffle);
        try (Way way = way(shuffle)) {
            for (String file : names(way.last())) {
                try {
                    way.last().deleteFile(Path.of(file));
                } catch (NoSuchFileException e) {
                    continue; // Another process is releasing it too.
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return;
        } catch (IOException e) {
            throw unavailable("release shuffle " + shuffle, e);
        }
        try (Way way = new Way(directory).down(SHUFFLES)) {
            way.last().deleteDirectory(Path.of(shuffle));
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw unavailable("release shuffle " + shuffle, e);
        }
    }

    private static List<String> names(SecureDirectoryStream<Path> stream) {
        List<String> names = new ArrayList<>();
        stream.forEach(path -> names.add(path.getFileName().toString()));
        return names;
    }

    private String place(String shuffle, String file) {
        return directory.resolve(SHUFFLES).resolve(shuffle).resolve(file).toString();
    }

    private StoreUnavailableException unavailable(String what, IOException cause) {
        return new StoreUnavailableException(
                "Cannot " + what + " in " + directory + ": " + cause + ". Check the disk and the permissions.", cause);
    }
}
