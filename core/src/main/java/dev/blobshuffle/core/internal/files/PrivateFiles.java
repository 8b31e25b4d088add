package dev.blobshuffle.core.internal.files;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and directories that only their owner can read and write (0600, 0700), if the file
 * system supports permissions. For blobs, caches, secrets and keys. Stateless.
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

    /** Creates a directory and its missing parents. Existing directories keep their permissions. */
    public static void createDirectories(Path directory) throws IOException {
        Path ignored = Files.createDirectories(directory, isPosix(directory) ? DIRECTORY : NONE);
    }

    /** Creates a new file and opens it for writing. */
    public static FileChannel create(Path file) throws IOException {
        return open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Opens a file for writing, and creates it if it does not exist. */
    public static FileChannel openOrCreate(Path file) throws IOException {
        return open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    }

    private static FileChannel open(Path file, Set<StandardOpenOption> options) throws IOException {
        return FileChannel.open(file, options, isPosix(file) ? FILE : NONE);
    }

    /**
     * Opens a file for reading. Refuses symbolic links.
     *
     * @throws IOException if it is a link
     */
    public static FileChannel read(Path file) throws IOException {
        return FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * Writes a file, and replaces an existing one. Only its owner can read it, from the first byte
     * on.
     */
    public static void write(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        if (isPosix(file)) {
            Files.createFile(file, FILE);
        }
        Files.writeString(file, text);
    }

    /**
     * Refuses a file that others may read, as OpenSSH refuses such private keys. If the file
     * belongs to another user, its group may read it, because Kubernetes mounts secrets this way.
     *
     * @throws InvalidSettingsException fatal: others may read the file
     * @throws IOException the file's attributes cannot be read
     */
    public static void check(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return; // Not a POSIX file system; access lists are not checked here.
        }
        PosixFileAttributes attributes = view.readAttributes();
        Set<PosixFilePermission> permissions = attributes.permissions();
        boolean isOwn = attributes.owner().getName().equals(System.getProperty("user.name"));
        boolean isGroups = permissions.contains(PosixFilePermission.GROUP_READ)
                || permissions.contains(PosixFilePermission.GROUP_WRITE);
        if (isOwn && isGroups
                || permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new InvalidSettingsException("Cannot use " + file + ": its permissions "
                    + PosixFilePermissions.toString(permissions)
                    + " let others read or change it. Run chmod 600 " + file
                    + ", or mount it with defaultMode 0400.");
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
