package dev.blobshuffle.core.internal.encryption;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.encryption.KeyProviderFactory;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.settings.InstalledProviders;
import dev.blobshuffle.core.time.Time;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an instance: the keys for reading, by id, and the key for writing, if any. It keeps
 * each key from its {@link KeyProvider} until the provider withdraws it. Thread-safe.
 *
 * <p>Each blob has its own key, which HKDF derives from the named key and the blob's id
 * ({@code docs/format.md}, "Encryption").
 */
public final class Keyring {
    /** The id that selects writing without encryption while encrypted blobs are still read. */
    public static final String WRITE_PLAIN = "none";

    /** Length of a key, bytes: AES-256. */
    public static final int KEY_LENGTH = 32;

    /** A scheme that another artifact provides. */
    private static final String AWS_KMS = "aws-kms";

    /** The minimum time between two requests for withdrawn keys. */
    private static final long REFRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Duration USUAL_TIMEOUT = Duration.ofMinutes(2);
    private static final Logger LOG = LoggerFactory.getLogger(Keyring.class);
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,32}");
    private static final byte[] SALT = "BlobShuffle 2".getBytes(StandardCharsets.US_ASCII);
    private static final Keyring NONE = new Keyring(Optional.empty(), Optional.empty(), USUAL_TIMEOUT);

    private final Optional<KeyProvider> provider;
    private final Optional<String> writing;
    private final Duration timeout;

    /** Pseudorandom keys by id. */
    private final Map<String, byte[]> extracted = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable Long> refreshedNanos = new AtomicReference<>();

    private Keyring(Optional<KeyProvider> provider, Optional<String> writing, Duration timeout) {
        this.provider = provider;
        this.writing = writing;
        this.timeout = timeout;
    }

    /** No keys: blobs are written without encryption, and encrypted ones are refused. */
    public static Keyring none() {
        return NONE;
    }

    /** Reads with the keys of a source, and writes without encryption. */
    public static Keyring reading(KeyProvider provider) {
        return new Keyring(Optional.of(provider), Optional.empty(), USUAL_TIMEOUT);
    }

    /**
     * Reads with the keys of a source, and writes with one of them.
     *
     * @throws InvalidSettingsException fatal: the source does not have the key
     */
    public static Keyring writing(KeyProvider provider, String id) {
        Keyring keys = new Keyring(Optional.of(provider), Optional.of(id), USUAL_TIMEOUT);
        keys.require(id);
        return keys;
    }

    /**
     * The keys that the settings define.
     *
     * @param source URI of the source, {@code blobshuffle.encryption.keys}; empty: none
     * @param id the key to write with, {@code blobshuffle.encryption.key.id}, or
     *     {@value #WRITE_PLAIN}
     * @throws InvalidSettingsException fatal: only one of the two is set, or they cannot be used
     */
    public static Keyring open(Optional<String> source, Optional<String> id) {
        if (source.isEmpty() && id.isEmpty()) {
            return none();
        }
        if (source.isEmpty()) {
            throw new InvalidSettingsException("Cannot encrypt: blobshuffle.encryption.key.id is given, and"
                    + " blobshuffle.encryption.keys is not. Give both, or neither.");
        }
        if (id.isEmpty()) {
            throw new InvalidSettingsException("Cannot encrypt: blobshuffle.encryption.keys is given, and"
                    + " blobshuffle.encryption.key.id is not. Give the id of the key to write with, or "
                    + WRITE_PLAIN + " to read encrypted blobs and write plain ones.");
        }
        KeyProvider provider = provider(source.get());
        return id.get().equals(WRITE_PLAIN) ? reading(provider) : writing(provider, id.get());
    }

    /** The same keys with another timeout. */
    public Keyring timeout(Duration longest) {
        Keyring keys = new Keyring(provider, writing, longest);
        keys.extracted.putAll(extracted);
        return keys;
    }

    /** The time for which readers ask again for an unavailable key. */
    public Duration timeout() {
        return timeout;
    }

    private static KeyProvider provider(String source) {
        URI uri;
        try {
            uri = URI.create(source);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingsException(
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
        throw new InvalidSettingsException("Cannot open the encryption keys: "
                + (AWS_KMS.equals(uri.getScheme())
                        ? InstalledProviders.missing(KeyProviderFactory.class, "dev.blobshuffle:blobshuffle-aws-kms")
                        : "nothing on the class path knows the scheme '" + uri.getScheme() + "'. Use one of "
                                + String.join(", ", schemes) + "."));
    }

    private static List<KeyProviderFactory> factories() {
        List<KeyProviderFactory> factories = new ArrayList<>(List.of(new KeyFile.Factory()));
        factories.addAll(InstalledProviders.of(KeyProviderFactory.class));
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

    /** Whether there is a source of keys at all. */
    public boolean hasSource() {
        return provider.isPresent();
    }

    /** Whether a key is in memory. */
    public boolean isHere(String id) {
        return extracted.containsKey(id);
    }

    /** Drops the keys that the source has withdrawn. Asks the source at most once a second. */
    public void refresh(Time time) {
        if (provider.isEmpty() || extracted.isEmpty()) {
            return;
        }
        long now = time.nanos();
        Long last = refreshedNanos.get();
        if (last != null && now - last < REFRESH_NANOS || !refreshedNanos.compareAndSet(last, now)) {
            return;
        }
        for (String id : provider.get().withdrawn(Set.copyOf(extracted.keySet()))) {
            if (extracted.remove(id) != null) {
                LOG.warn("Encryption key '{}' is no longer used: {} no longer has it.", id, provider.get());
            }
        }
    }

    /**
     * Checks that a key is available. May block.
     *
     * @throws InvalidSettingsException recoverable once the key is there: it is missing, and the
     *     message says how to add it; or the source refuses it
     * @throws StoreUnavailableException recoverable: the source does not answer
     */
    public void require(String id) {
        byte[] ignored = extracted(id);
    }

    /**
     * The key of one blob.
     *
     * @param id the named key that it derives from
     * @param blob the identity of the blob
     * @throws InvalidSettingsException as {@link #require}
     * @throws StoreUnavailableException as {@link #require}
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
            throw new InvalidSettingsException("Cannot use encryption key '" + id
                    + "': an id has 1 to 32 letters, digits, dots, hyphens or underscores, and is not " + WRITE_PLAIN
                    + ".");
        }
        KeyProvider source =
                provider.orElseThrow(() -> new InvalidSettingsException("Cannot read an encrypted blob: key '" + id
                        + "' is needed, and this instance has no keys. Set blobshuffle.encryption.keys, and"
                        + " blobshuffle.encryption.key.id."));
        byte[] key = ask(source, id)
                .orElseThrow(() -> new InvalidSettingsException("Cannot use encryption key '" + id + "': " + source
                        + " does not have it. Add the key there, in every reader before the first writer."));
        try {
            if (key.length != KEY_LENGTH) {
                throw new InvalidSettingsException("Cannot use encryption key '" + id + "': it has " + key.length
                        + " bytes. Give " + KEY_LENGTH + " random ones.");
            }
            return Hkdf.extract(SALT, key);
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }

    private static Optional<byte[]> ask(KeyProvider source, String id) {
        try {
            return source.key(id);
        } catch (BlobShuffleException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreUnavailableException(
                    "Cannot use encryption key '" + id + "': " + source
                            + " failed unexpectedly. Try again; if it fails again, see the cause.",
                    e);
        }
    }
}
