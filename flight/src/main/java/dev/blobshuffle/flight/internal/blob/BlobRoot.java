package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreUnavailable;
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
 * A directory that the daemon may read and release blobs in. It opens what is below by one name
 * after the other, relative to the directory before ({@code openat}), and follows no symbolic link.
 * So neither {@code ..} nor a link that a process creates there at any time leads outside.
 * Thread-safe.
 */
final class BlobRoot {
    private static final String SHUFFLES = "shuffles";

    private final Path directory;
    private final OpenDirectories directories = new OpenDirectories();

    /**
     * A directory that exists.
     *
     * @throws InvalidSettings fatal: it is none, or cannot be read safely
     */
    BlobRoot(Path directory) {
        try {
            this.directory = directory.toRealPath();
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(this.directory)) {
                if (!(stream instanceof SecureDirectoryStream)) {
                    throw new InvalidSettings("Cannot serve " + directory
                            + ": its file system cannot open files without following links."
                            + " Use a local directory of Linux or macOS.");
                }
            }
        } catch (IOException e) {
            throw new InvalidSettings(
                    "Cannot serve " + directory + ": " + e + ". Name a directory that exists and that you may read.",
                    e);
        }
    }

    /** Without links. */
    Path directory() {
        return directory;
    }

    /** Opens directories; closed in the reverse order by {@link #close}. */
    private static final class Way implements AutoCloseable {
        private final List<SecureDirectoryStream<Path>> opened = new ArrayList<>();

        Way(Path root) throws IOException {
            opened.add((SecureDirectoryStream<Path>) Files.newDirectoryStream(root));
        }

        SecureDirectoryStream<Path> last() {
            return opened.get(opened.size() - 1);
        }

        /** @throws NotDirectoryException it is a link, or a file */
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

        /** The last directory, which the caller closes. */
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
     * Opens a file of a shuffle. It keeps the directory of the shuffle open for the next one: the
     * way there costs four times as much as the file.
     *
     * @throws BlobMissing recoverable: it is not there, or is a link
     */
    FileChannel open(String shuffle, String file) {
        Optional<SecureDirectoryStream<Path>> held = directories.held(shuffle);
        if (held.isPresent()) {
            try {
                return open(held.get(), shuffle, file);
            } catch (IOException | ClosedDirectoryStreamException e) {
                directories.drop(shuffle); // Released and made again, or another thread has closed it.
            }
        }
        try (Way way = way(shuffle)) {
            FileChannel channel = open(way.last(), shuffle, file);
            directories.hold(shuffle, way.takeLast());
            return channel;
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw new BlobMissing(
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
            throw new BlobMissing("Cannot open " + place(shuffle, file)
                    + ": it is no regular file. The daemon follows no links and reads no devices.");
        }
        return (FileChannel)
                home.newByteChannel(Path.of(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * The names of the files of a shuffle.
     *
     * @return empty if there is no such shuffle
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

    /** When a shuffle's directory last changed, milliseconds since the epoch; empty if none is. */
    OptionalLong changedMillis(String shuffle) {
        try {
            return OptionalLong.of(
                    Files.getLastModifiedTime(directory.resolve(SHUFFLES).resolve(shuffle), LinkOption.NOFOLLOW_LINKS)
                            .toMillis());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** The length of a file of a shuffle, bytes; 0 if it is not there any more. */
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

    /** Writes a small file of a shuffle: under another name first, then renamed. */
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

    /** Bytes that the file system has for this process; 0 if it does not answer. */
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
     * Creates a file of a shuffle, and the shuffle's directory if there is none.
     *
     * @throws StoreUnavailable recoverable: the disk does not take it
     */
    FileChannel create(String shuffle, String file) {
        try {
            return createOnce(shuffle, file);
        } catch (NoSuchFileException e) {
            // Another map has deleted the directory, which was empty.
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

    /** Says that a shuffle is used, by the time of its directory. */
    void touch(String shuffle, long wallMillis) {
        try (Way way = way(shuffle)) {
            way.last()
                    .getFileAttributeView(BasicFileAttributeView.class)
                    .setTimes(FileTime.fromMillis(wallMillis), null, null);
        } catch (IOException e) {
            return; // It was released: the put fails when it goes on.
        }
    }

    private static void makeDirectory(Path made) throws IOException {
        try {
            Files.createDirectory(made);
        } catch (FileAlreadyExistsException e) {
            return; // If it is a link, opening it fails.
        }
    }

    /**
     * Gives a file of a shuffle its final name.
     *
     * @throws StoreUnavailable recoverable: it is gone, or the disk has failed
     */
    void rename(String shuffle, String from, String to) {
        try (Way way = way(shuffle)) {
            way.last().move(Path.of(from), way.last(), Path.of(to));
        } catch (IOException e) {
            throw unavailable("commit " + place(shuffle, to), e);
        }
    }

    /** Deletes a file of a shuffle, and the shuffle's directory if nothing is left. */
    void delete(String shuffle, String file) {
        try (Way way = way(shuffle)) {
            way.last().deleteFile(Path.of(file));
            if (!names(way.last()).isEmpty()) {
                return;
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return; // The shuffle was released meanwhile.
        } catch (IOException e) {
            throw unavailable("delete " + place(shuffle, file), e);
        }
        try (Way way = new Way(directory).down(SHUFFLES)) {
            way.last().deleteDirectory(Path.of(shuffle));
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            return; // Released, or another map has begun.
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
                    continue; // Another process releases it too.
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

    private StoreUnavailable unavailable(String what, IOException cause) {
        return new StoreUnavailable(
                "Cannot " + what + " in " + directory + ": " + cause + ". Check the disk and the permissions.", cause);
    }
}
