package dev.blobshuffle.kstreams.operator;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Secrets of instances, readable by their owner only. Stateless. */
final class SecretFiles {
    private SecretFiles() {}

    static Path create(Path directory) throws Exception {
        Path file = directory.resolve("secret");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, "a secret that all instances of the test share");
    }
}
