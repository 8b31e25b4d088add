package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.encryption.KeyProviderFactory;
import dev.blobshuffle.core.failure.InvalidSettings;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of an instance: the keys for reading, by id, and the key for writing, if any. Keeps
 * every key that its {@link KeyProvider} has returned. Thread-safe.
 *
 * <p>Each blob has its own key, which HKDF derives from the named key and the blob's id
 * ({@code docs/format.md}, "Encryption").
 */
public final class Keyring {
    /** The id that selects writing without encryption while encrypted blobs are still read. */
    public static final String WRITE_PLAIN = "none";

    /** Length of a key, bytes: AES-256. */
    public static final int KEY_LENGTH = 32;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,32}");
    private static final byte[] SALT = "BlobShuffle 2".getBytes(StandardCharsets.US_ASCII);
    private static final Keyring NONE = new Keyring(Optional.empty(), Optional.empty());

    private final Optional<KeyProvider> provider;
    private final Optional<String> writing;

    /** Pseudorandom keys by id. */
    private final Map<String, byte[]> extracted = new ConcurrentHashMap<>();

    private Keyring(Optional<KeyProvider> provider, Optional<String> writing) {
        this.provider = provider;
        this.writing = writing;
    }

    /** No keys: blobs are written without encryption, and encrypted ones are refused. */
    public static Keyring none() {
        return NONE;
    }

    /** Reads with the keys of a source, and writes without encryption. */
    public static Keyring reading(KeyProvider provider) {
        return new Keyring(Optional.of(provider), Optional.empty());
    }

    /**
     * Reads with the keys of a source, and writes with one of them.
     *
     * @throws InvalidSettings fatal: the source does not have the key
     */
    public static Keyring writing(KeyProvider provider, String id) {
        Keyring keys = new Keyring(Optional.of(provider), Optional.of(id));
        keys.require(id);
        return keys;
    }

    /**
     * The keys that the settings define.
     *
     * @param source URI of the source, {@code blobshuffle.encryption.keys}; empty: none
     * @param id the key to write with, {@code blobshuffle.encryption.key.id}, or
     *     {@value #WRITE_PLAIN}
     * @throws InvalidSettings fatal: only one of them is given, or they cannot be used
     */
    public static Keyring open(Optional<String> source, Optional<String> id) {
        if (source.isEmpty() && id.isEmpty()) {
            return none();
        }
        if (source.isEmpty()) {
            throw new InvalidSettings("Cannot encrypt: blobshuffle.encryption.key.id is given, and"
                    + " blobshuffle.encryption.keys is not. Give both, or neither.");
        }
        if (id.isEmpty()) {
            throw new InvalidSettings("Cannot encrypt: blobshuffle.encryption.keys is given, and"
                    + " blobshuffle.encryption.key.id is not. Give the id of the key to write with, or "
                    + WRITE_PLAIN + " to read encrypted blobs and write plain ones.");
        }
        KeyProvider provider = provider(source.get());
        return id.get().equals(WRITE_PLAIN) ? reading(provider) : writing(provider, id.get());
    }

    private static KeyProvider provider(String source) {
        URI uri;
        try {
            uri = URI.create(source);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettings(
                    "Cannot open the encryption keys: blobshuffle.encryption.keys is not a URI. Give for example"
                            + " file:///etc/blobshuffle/keys.",
                    e);
        }
        List<String> schemes = new ArrayList<>();
        for (KeyProviderFactory factory : factories()) {
            schemes.add(factory.scheme() + ":");
            if (factory.scheme().equals(uri.getScheme())) {
                return factory.open(uri);
            }
        }
        throw new InvalidSettings("Cannot open the encryption keys: nothing on the class path knows the scheme '"
                + uri.getScheme() + "'. Use one of " + String.join(", ", schemes) + ".");
    }

    private static List<KeyProviderFactory> factories() {
        List<KeyProviderFactory> factories = new ArrayList<>(List.of(new KeyFile.Factory()));
        ServiceLoader.load(KeyProviderFactory.class, KeyProviderFactory.class.getClassLoader())
                .forEach(factories::add);
        return factories;
    }

    /** Whether a text can be the id of a key. */
    public static boolean isId(String text) {
        return ID.matcher(text).matches() && !text.equals(WRITE_PLAIN);
    }

    /** Id of the key to write with; empty: write without encryption. */
    public Optional<String> writing() {
        return writing;
    }

    /**
     * Checks that a key is available.
     *
     * @throws InvalidSettings fatal: the key is missing; the message says how to add it
     */
    public void require(String id) {
        byte[] ignored = extracted(id);
    }

    /**
     * The key of one blob.
     *
     * @param id the named key that it derives from
     * @param blob the identity of the blob
     * @throws InvalidSettings fatal: the named key is missing; the message says how to add it
     */
    public SecretKey blobKey(String id, byte[] blob) {
        return new SecretKeySpec(Hkdf.expand(extracted(id), blob), "AES");
    }

    private byte[] extracted(String id) {
        byte[] known = extracted.get(id);
        return known != null ? known : extracted.computeIfAbsent(id, this::extract);
    }

    private byte[] extract(String id) {
        if (!isId(id)) {
            throw new InvalidSettings("Cannot use encryption key '" + id
                    + "': an id has 1 to 32 letters, digits, dots, hyphens or underscores, and is not " + WRITE_PLAIN
                    + ".");
        }
        KeyProvider source = provider.orElseThrow(() -> new InvalidSettings("Cannot read an encrypted blob: key '" + id
                + "' is needed, and this instance has no keys. Set blobshuffle.encryption.keys, and"
                + " blobshuffle.encryption.key.id."));
        byte[] key = source.key(id)
                .orElseThrow(() -> new InvalidSettings("Cannot use encryption key '" + id + "': " + source
                        + " does not have it. Add the key there, in every reader before the first writer."));
        try {
            if (key.length != KEY_LENGTH) {
                throw new InvalidSettings("Cannot use encryption key '" + id + "': it has " + key.length
                        + " bytes. Give " + KEY_LENGTH + " random ones.");
            }
            return Hkdf.extract(SALT, key);
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }
}
