package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A text file of keys, plain or wrapped: one per line, its id, a space, and its bytes in Base64.
 * Empty lines and lines that start with {@code #} are ignored. The file is read again when an id is
 * missing and the file has changed, so that a new key needs no restart of readers. Thread-safe:
 * guarded by this.
 */
public final class KeyEntries {
    private static final int MOST_WRAPPED_BYTES = 6144;

    private final Path file;
    private final Form form;
    private Map<String, byte[]> entries;
    private FileTime readAt;

    /** The form of a file's entries. */
    public enum Form {
        /**
         * Keys of {@value Keyring#KEY_LENGTH} bytes. A file that others can read is refused
         * ({@link PrivateFiles#check}).
         */
        PLAIN("32 bytes in Base64. Make a key with: openssl rand -base64 32"),
        /** Keys that a key management service has encrypted. The file need not be private. */
        WRAPPED("an encrypted key in Base64, at most " + MOST_WRAPPED_BYTES + " bytes.");

        private final String expected;

        Form(String expected) {
            this.expected = expected;
        }

        private boolean holds(byte[] bytes) {
            return switch (this) {
                case PLAIN -> bytes.length == Keyring.KEY_LENGTH;
                case WRAPPED -> bytes.length > 0 && bytes.length <= MOST_WRAPPED_BYTES;
            };
        }
    }

    /**
     * Reads a file. Blocks.
     *
     * @throws InvalidSettings fatal: the file cannot be read, others can read plain keys, or a line
     *     is not of its form
     */
    public KeyEntries(Path file, Form form) {
        this.file = file;
        this.form = form;
        readAt = modified();
        entries = read();
    }

    /**
     * A copy of the bytes of an entry. May block.
     *
     * @return empty if the file has no such id
     * @throws InvalidSettings fatal: the file has changed and can no longer be used
     */
    public synchronized Optional<byte[]> find(String id) {
        if (!entries.containsKey(id)) {
            FileTime now = modified();
            if (!now.equals(readAt)) {
                readAt = now;
                entries = read();
            }
        }
        return Optional.ofNullable(entries.get(id)).map(byte[]::clone);
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
            if (form == Form.PLAIN) {
                PrivateFiles.check(file);
            }
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

    /** The line may be a secret, so no message contains it. */
    private void add(String line, int number, Map<String, byte[]> read) {
        String[] parts = line.split("\\s+", -1);
        if (parts.length == 2 && Keyring.isId(parts[0])) {
            byte[] key = decoded(parts[1]);
            if (form.holds(key) && read.putIfAbsent(parts[0], key) == null) {
                return;
            }
        }
        throw new InvalidSettings("Cannot use " + this + ": line " + number
                + " is not an id that no line before has, a space, and " + form.expected);
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

    /** Names the file in failures. */
    @Override
    public String toString() {
        return "the encryption keys in " + file;
    }
}
