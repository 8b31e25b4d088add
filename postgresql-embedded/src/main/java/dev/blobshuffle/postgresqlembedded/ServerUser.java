package dev.blobshuffle.postgresqlembedded;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The user of a server: the current user, or {@code nobody} if that is root, because PostgreSQL
 * refuses to run as root.
 */
final class ServerUser {
    private static final String NOBODY = "nobody";

    private ServerUser() {}

    /**
     * A process that runs a command as the server's user. Its process id is that of the command.
     * Its working directory is the root, because the user may not be permitted to enter the current
     * directory. Its standard error goes to its standard output.
     */
    static ProcessBuilder process(List<String> command) {
        List<String> all = new ArrayList<>(isRoot() ? becomeNobody(Files::isExecutable) : List.of());
        all.addAll(command);
        return new ProcessBuilder(all).directory(new File("/")).redirectErrorStream(true);
    }

    /**
     * The prefix of a command that root runs as {@code nobody}: setpriv, or chroot to the same root
     * if only coreutils are installed.
     *
     * @throws IllegalStateException if neither is installed
     */
    static List<String> becomeNobody(Predicate<Path> isThere) {
        String group = groupOfNobody();
        Optional<Path> setpriv = find("setpriv", isThere);
        if (setpriv.isPresent()) {
            return List.of(setpriv.get().toString(), "--reuid=" + NOBODY, "--regid=" + group, "--clear-groups");
        }
        Path chroot = find("chroot", isThere)
                .orElseThrow(() -> new IllegalStateException("Cannot run PostgreSQL as root: neither setpriv nor"
                        + " chroot is there to become " + NOBODY
                        + ". Install the package coreutils, or run as another user."));
        return List.of(chroot.toString(), "--userspec=" + NOBODY + ":" + group, "--groups=", "/");
    }

    private static Optional<Path> find(String program, Predicate<Path> isThere) {
        return Stream.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")
                .map(directory -> Path.of(directory, program))
                .filter(isThere)
                .findFirst();
    }

    /** Makes the server's user the owner of a directory and its content. */
    static void own(Path directory) throws IOException {
        if (!isRoot()) {
            return;
        }
        UserPrincipal owner =
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(NOBODY);
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) throws IOException {
                Files.setOwner(visited, owner);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.setOwner(file, owner);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    /** Debian names the group nogroup, others nobody. */
    private static String groupOfNobody() {
        try (Stream<String> groups = Files.lines(Path.of("/etc/group"))) {
            return groups.anyMatch(line -> line.startsWith("nogroup:")) ? "nogroup" : NOBODY;
        } catch (IOException e) {
            return NOBODY;
        }
    }
}
