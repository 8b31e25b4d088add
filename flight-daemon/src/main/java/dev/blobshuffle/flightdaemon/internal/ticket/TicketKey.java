package dev.blobshuffle.flightdaemon.internal.ticket;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Provides the secret that signs tickets. Stateless. */
public final class TicketKey {
    private static final int SHORTEST = 32;

    private TicketKey() {}

    /**
     * The content of a file, or a random key.
     *
     * @param file empty: a random key, so a restart invalidates all tickets
     * @throws InvalidSettingsException fatal: the file is unreadable, too short, or others may read
     *     it
     */
    public static byte[] of(Optional<Path> file, Time time) {
        if (file.isEmpty()) {
            ByteBuffer random = ByteBuffer.allocate(SHORTEST);
            while (random.hasRemaining()) {
                random.putLong(time.randomLong());
            }
            return random.array();
        }
        try {
            PrivateFiles.check(file.get());
            byte[] key = Files.readAllBytes(file.get());
            if (key.length < SHORTEST) {
                throw new InvalidSettingsException("Cannot sign tickets with " + file.get() + ": it has " + key.length
                        + " bytes, at least " + SHORTEST + " are needed. Run openssl rand -base64 48.");
            }
            return key;
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read the key of tickets: " + e + ". Give a file with 32 random bytes.", e);
        }
    }
}
