package dev.blobshuffle.postgresqlembedded;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * Unpacks the programs of a release, once per machine and user. The target is a directory below
 * that for temporary files, named by the archive's checksum. It is readable by all users, because a
 * server does not run as root.
 */
final class ProgramArchive {
    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Set<PosixFilePermission> READABLE_DATA = PosixFilePermissions.fromString("rw-r--r--");

    private ProgramArchive() {}

    /** The directory with the unpacked archive, a tar compressed with xz. */
    static Path unpack(byte[] archive) throws IOException {
        Path root = root();
        Path home = root.resolve(checksum(archive));
        if (Files.isDirectory(home)) {
            return home;
        }
        Path draft = Files.createTempDirectory(root, "draft-");
        extract(archive, draft);
        makeReadable(draft);
        try {
            Files.move(draft, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            Directories.delete(draft);
            if (!Files.isDirectory(home)) {
                throw e;
            } // Otherwise another process was faster.
        }
        return home;
    }

    /**
     * The directory below which archives are unpacked. Refuses one that another user may write,
     * because we run its programs.
     */
    private static Path root() throws IOException {
        String user = System.getProperty("user.name");
        Path root = Path.of(System.getProperty("java.io.tmpdir"), "blobshuffle-postgresql-" + user)
                .toAbsolutePath();
        try {
            Files.createDirectory(root, PosixFilePermissions.asFileAttribute(READABLE));
            Files.setPosixFilePermissions(root, READABLE);
        } catch (FileAlreadyExistsException e) {
            boolean isOurs =
                    Files.getOwner(root, LinkOption.NOFOLLOW_LINKS).getName().equals(user);
            if (!isOurs
                    || !Files.getPosixFilePermissions(root, LinkOption.NOFOLLOW_LINKS)
                            .equals(READABLE)) {
                throw new IOException(
                        "Cannot keep programs in " + root + ": another user owns it or may write to it. Remove it.", e);
            }
        }
        return root;
    }

    private static void extract(byte[] archive, Path to) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = to.resolve(entry.getName()).normalize();
                if (!target.startsWith(to)) {
                    throw new IOException("Cannot unpack " + entry.getName() + ": it is outside the archive.");
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                    continue;
                }
                Files.createDirectories(target.resolveSibling("."));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.copy(tar, target);
                    if ((entry.getMode() & 0100) != 0) {
                        Files.setPosixFilePermissions(target, READABLE);
                    }
                }
            }
        }
    }

    /** Makes the files readable by all users, whatever the process's umask. */
    private static void makeReadable(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                if (!Files.isSymbolicLink(each)) {
                    boolean isRun = Files.isDirectory(each) || Files.isExecutable(each);
                    Files.setPosixFilePermissions(each, isRun ? READABLE : READABLE_DATA);
                }
            }
        }
    }

    private static String checksum(byte[] archive) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot check PostgreSQL: this JDK has no SHA-256. Use another JDK.", e);
        }
    }
}
