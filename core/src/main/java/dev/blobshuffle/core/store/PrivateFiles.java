package dev.blobshuffle.core.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Makes files and directories that only their owner can read and write (0600, 0700), where the file
 * system knows permissions. What exists keeps its permissions. Stateless.
 */
public final class PrivateFiles {
    private static final FileAttribute<?>[] FILE = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };
    private static final FileAttribute<?>[] DIRECTORY = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };
    private static final FileAttribute<?>[] NONE = {};

    private PrivateFiles() {}

    /** Makes a directory and its parents, where they are not there yet. */
    public static void createDirectories(Path directory) throws IOException {
        Path ignored = Files.createDirectories(directory, isPosix(directory) ? DIRECTORY : NONE);
    }

    /** Makes a file that is not there yet, and opens it for writing. */
    public static FileChannel create(Path file) throws IOException {
        return open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Opens a file for writing, and makes it where it is not there yet. */
    public static FileChannel openOrCreate(Path file) throws IOException {
        return open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    }

    private static FileChannel open(Path file, Set<StandardOpenOption> options) throws IOException {
        return FileChannel.open(file, options, isPosix(file) ? FILE : NONE);
    }

    /**
     * Opens a file for reading, but no symbolic link.
     *
     * @throws IOException if it is a link
     */
    public static FileChannel read(Path file) throws IOException {
        return FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
