package dev.blobshuffle.postgresqlembedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The user that a server runs as: the current one, or {@code nobody} where that is root, because
 * PostgreSQL refuses to run as root.
 */
final class ServerUser {
    private static final String NOBODY = "nobody";

    private ServerUser() {}

    /** A command that runs as the server's user and with the same process id. */
    static List<String> command(List<String> command) {
        if (!isRoot()) {
            return command;
        }
        boolean isThere =
                Stream.of("/usr/bin/setpriv", "/bin/setpriv").map(Path::of).anyMatch(Files::isExecutable);
        if (!isThere) {
            throw new IllegalStateException("Cannot run PostgreSQL as root: there is no setpriv to become " + NOBODY
                    + " with. Install the package util-linux, or run as another user.");
        }
        List<String> all = new ArrayList<>(
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + groupOfNobody(), "--clear-groups"));
        all.addAll(command);
        return all;
    }

    /** Gives a directory and all that is in it to the server's user. */
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
