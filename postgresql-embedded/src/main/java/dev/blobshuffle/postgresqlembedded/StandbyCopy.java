package dev.blobshuffle.postgresqlembedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * Copies the data of a running server for a standby. It makes a base backup through the server's
 * functions, because the embedded programs lack {@code pg_basebackup}. PostgreSQL's manual, "Making
 * a Base Backup Using the Low Level API".
 */
final class StandbyCopy {
    /** Directories whose content belongs to the running server. */
    private static final Set<String> EMPTIED = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans");

    private static final Set<String> OMITTED = Set.of("postmaster.pid", "postmaster.opts", "standby.signal");
    private static final int FIRST_WITH_SHORT_NAMES = 15;

    private StandbyCopy() {}

    /** Copies a data directory while its server runs. */
    static void copy(PostgresServer server, Path from, Path to) throws IOException, SQLException {
        boolean hasShortNames = server.release().major() >= FIRST_WITH_SHORT_NAMES;
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(
                    hasShortNames
                            ? "select pg_backup_start('standby', true)"
                            : "select pg_start_backup('standby', true, false)");
            Files.walkFileTree(from, new Copying(from, to));
            try (ResultSet end = statement.executeQuery(
                    hasShortNames
                            ? "select labelfile from pg_backup_stop(false)"
                            : "select labelfile from pg_stop_backup(false, false)")) {
                end.next();
                Files.writeString(to.resolve("backup_label"), end.getString(1));
            }
        }
    }

    private static final class Copying extends SimpleFileVisitor<Path> {
        private final Path from;
        private final Path to;

        Copying(Path from, Path to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            Path relative = from.relativize(directory);
            Files.createDirectory(
                    to.resolve(relative),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Path relative = from.relativize(file);
            if (!EMPTIED.contains(relative.getName(0).toString()) && !OMITTED.contains(relative.toString())) {
                try {
                    Files.copy(file, to.resolve(relative));
                } catch (NoSuchFileException e) {
                    // The server has just removed it, and recorded that in its log.
                    return FileVisitResult.CONTINUE;
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
