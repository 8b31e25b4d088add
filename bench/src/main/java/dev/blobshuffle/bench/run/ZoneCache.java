package dev.blobshuffle.bench.run;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Properties;

/**
 * The settings by which instances share their caches in their zones: an address for each, and one
 * secret.
 */
final class ZoneCache {
    private static final int SECRET_BYTES = 32;

    private ZoneCache() {}

    /**
     * Adds the settings of an instance. The first one writes the secret.
     *
     * @param directory of the run
     */
    static void addTo(Properties settings, Path directory) throws IOException {
        settings.setProperty("blobshuffle.cache.zone.enabled", "true");
        settings.setProperty("blobshuffle.peer.listen", "127.0.0.1:0");
        settings.setProperty(
                "blobshuffle.peer.secret.file",
                secret(directory.resolve("secret")).toString());
    }

    private static Path secret(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            byte[] secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            Files.writeString(file, HexFormat.of().formatHex(secret));
        } catch (FileAlreadyExistsException e) {
            return file; // An earlier instance has written it.
        }
        return file;
    }
}
