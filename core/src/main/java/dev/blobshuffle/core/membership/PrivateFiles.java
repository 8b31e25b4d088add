package dev.blobshuffle.core.membership;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files with secrets, which nobody but their user may read. Stateless. */
public final class PrivateFiles {
    private static final String OWN = "rw-------";

    private PrivateFiles() {}

    /** Writes a file that only its owner may read from the first byte on. Replaces an existing one. */
    public static void write(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        boolean isPosix = Files.getFileAttributeView(file, PosixFileAttributeView.class) != null;
        if (isPosix) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWN)));
        }
        Files.writeString(file, text);
    }

    /**
     * Refuses a file that others may read, as OpenSSH refuses such private keys. A group may read a
     * file that belongs to somebody else: Kubernetes mounts secrets so.
     *
     * @throws InvalidSettings fatal: others may read the file
     * @throws IOException the file's attributes cannot be read
     */
    public static void check(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return; // Not a POSIX file system; its access lists are not understood here.
        }
        PosixFileAttributes attributes = view.readAttributes();
        Set<PosixFilePermission> permissions = attributes.permissions();
        boolean isOwn = attributes.owner().getName().equals(System.getProperty("user.name"));
        boolean isGroups = permissions.contains(PosixFilePermission.GROUP_READ)
                || permissions.contains(PosixFilePermission.GROUP_WRITE);
        if (isOwn && isGroups
                || permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new InvalidSettings("Cannot use " + file + ": its permissions "
                    + PosixFilePermissions.toString(permissions)
                    + " let others read or change it. Run chmod 600 " + file
                    + ", or mount it with defaultMode 0400.");
        }
    }
}
