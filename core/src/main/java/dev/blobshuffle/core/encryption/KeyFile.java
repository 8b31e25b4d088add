package dev.blobshuffle.core.encryption;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.files.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keys in a text file: one per line, its id, a space, and 32 bytes in Base64. Empty lines and lines
 * that start with {@code #} are passed over. A file that others can read is refused
 * ({@link PrivateFiles#check}). The file is read again when a key is missing and the file has changed, so that a new key needs no
 * restart of readers. Thread-safe: guarded by this.
 */
public final class KeyFile implements KeyProvider {
    private final Path file;
    private Map<String, byte[]> keys;
    private FileTime readAt;

    /**
     * Reads a file. Blocks.
     *
     * @throws InvalidSettings fatal: the file cannot be read, others can read it, or it is not of its form
     */
    public KeyFile(Path file) {
        this.file = file;
        readAt = modified();
        keys = read();
    }

    /** {@code file:///etc/blobshuffle/keys}. */
    static final class Factory implements KeyProviderFactory {
        @Override
        public String scheme() {
            return "file";
        }

        @Override
        public KeyProvider open(URI uri) {
            try {
                return new KeyFile(Path.of(uri));
            } catch (IllegalArgumentException e) {
                throw new InvalidSettings(
                        "Cannot open the encryption keys: " + uri
                                + " names no file. Give an absolute path with three slashes:"
                                + " file:///etc/blobshuffle/keys.",
                        e);
            }
        }
    }

    @Override
    public synchronized Optional<byte[]> key(String id) {
        if (!keys.containsKey(id)) {
            FileTime now = modified();
            if (!now.equals(readAt)) {
                readAt = now;
                keys = read();
            }
        }
        return Optional.ofNullable(keys.get(id)).map(byte[]::clone);
    }

    private FileTime modified() {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private Map<String, byte[]> read() {
        List<String> lines;
        try {
            PrivateFiles.check(file);
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw unreadable(e);
        }
        Map<String, byte[]> read = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(line, i + 1, read);
            }
        }
        return read;
    }

    /** The line is a secret: no message holds it. */
    private void add(String line, int number, Map<String, byte[]> read) {
        String[] parts = line.split("\\s+", -1);
        if (parts.length == 2 && Keyring.isId(parts[0])) {
            byte[] key = decoded(parts[1]);
            if (key.length == Keyring.KEY_LENGTH && read.putIfAbsent(parts[0], key) == null) {
                return;
            }
        }
        throw new InvalidSettings("Cannot use " + this + ": line " + number
                + " is not an id that no line before has, a space, and 32 bytes in Base64."
                + " Make a key with: openssl rand -base64 32");
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // Its message would show a part of the key.
        }
    }

    private InvalidSettings unreadable(IOException cause) {
        return new InvalidSettings(
                "Cannot read " + this + ": " + cause + ". Check blobshuffle.encryption.keys.", cause);
    }

    @Override
    public String toString() {
        return "the encryption keys in " + file;
    }
}
