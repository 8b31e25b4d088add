package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A text file of keys, plain or wrapped: one per line, its id, a space, and its bytes in Base64.
 * Empty lines and lines that start with {@code #} are ignored. Thread-safe: guarded by this.
 *
 * <p>Every call reads the file again, regardless of its modification time, because a change of the
 * mode does not change that time, and the time is coarse. If the file cannot be used or has no key,
 * the keys of the last good read stay. A key is withdrawn when two successive reads, a second
 * apart, do not find it, because one read may see a file that is being written.
 */
public final class KeyEntries {
    private static final int MOST_WRAPPED_BYTES = 6144;
    private static final int MOST_FILE_BYTES = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(KeyEntries.class);

    private final Path file;
    private final Form form;
    private Map<String, byte[]> entries;

    /** The keys that the last call of {@link #withdrawn} did not find. */
    private Set<String> lacking = Set.of();

    /** The last warning, so that each is logged once. */
    private String warned = "";

    /** The form of the entries of a file. */
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
     * @throws InvalidSettingsException fatal: the file cannot be read, others can read plain keys,
     *     or a line is not of its form
     */
    public KeyEntries(Path file, Form form) {
        this.file = file;
        this.form = form;
        entries = read();
    }

    /**
     * A copy of the bytes of an entry. Reads the file.
     *
     * @return empty if the file has no such id
     * @throws InvalidSettingsException recoverable once the file is repaired: it cannot be used
     *     now, and the last good read did not find the id
     */
    public synchronized Optional<byte[]> find(String id) {
        try {
            entries = read();
        } catch (InvalidSettingsException e) {
            if (!entries.containsKey(id)) {
                throw e;
            }
        }
        return Optional.ofNullable(entries.get(id)).map(byte[]::clone);
    }

    /**
     * The ids that the file lacks now and lacked at the previous call. Reads the file, and warns
     * once if it cannot be used.
     */
    public synchronized Set<String> withdrawn(Set<String> ids) {
        Set<String> missing = new HashSet<>(ids);
        try {
            Map<String, byte[]> now = read();
            checkNotEmpty(now);
            missing.removeAll(now.keySet());
            warned = "";
        } catch (InvalidSettingsException e) {
            if (!warned.equals(e.getMessage())) {
                warned = String.valueOf(e.getMessage());
                LOG.warn("{} Until then, the keys that are in memory stay in use.", warned);
            }
            missing.clear();
        }
        Set<String> withdrawn = new HashSet<>(missing);
        withdrawn.retainAll(lacking);
        lacking = missing;
        return withdrawn;
    }

    private void checkNotEmpty(Map<String, byte[]> now) {
        if (now.isEmpty()) {
            throw unusable(
                    "there is no key in it. Write the keys again; to withdraw the last one, stop the" + " instances.");
        }
    }

    private Map<String, byte[]> read() {
        String text;
        try {
            checkRegular();
            if (form == Form.PLAIN) {
                PrivateFiles.check(file);
            }
            text = text();
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read " + this + ": " + e
                            + ". Check blobshuffle.encryption.keys, and the permissions of the file and its"
                            + " directories.",
                    e);
        }
        Map<String, byte[]> read = new HashMap<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(line, i + 1, read);
            }
        }
        return read;
    }

    /**
     * Checks that the file is a regular one. Opening a pipe would block, and a directory has no
     * lines.
     */
    private void checkRegular() throws IOException {
        if (!Files.isRegularFile(file)) {
            if (Files.exists(file)) {
                throw unusable("it is not a regular file. Name a file in blobshuffle.encryption.keys.");
            }
            throw new NoSuchFileException(file.toString());
        }
    }

    private String text() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_FILE_BYTES + 1);
            if (bytes.length > MOST_FILE_BYTES) {
                throw unusable("it has more than " + MOST_FILE_BYTES + " bytes. Remove keys that no blob needs.");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** Parses a line and adds its entry. The line may be a secret, so no message contains it. */
    private void add(String line, int number, Map<String, byte[]> read) {
        String[] parts = line.split("\\s+", -1);
        if (parts.length == 2 && Keyring.isId(parts[0])) {
            byte[] key = decoded(parts[1]);
            if (form.holds(key) && read.putIfAbsent(parts[0], key) == null) {
                return;
            }
        }
        throw unusable("line " + number + " is not an id that no line before has, a space, and " + form.expected);
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // The exception's message would show a part of the key.
        }
    }

    private InvalidSettingsException unusable(String reason) {
        return new InvalidSettingsException("Cannot use " + this + ": " + reason);
    }

    /** Names the file in failures. */
    @Override
    public String toString() {
        return "the encryption keys in " + file;
    }
}
