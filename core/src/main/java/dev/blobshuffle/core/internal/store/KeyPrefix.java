package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoreUri;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The common prefix of all keys of a store in a bucket. It lets several stores and other data share
 * the bucket.
 *
 * @param text empty, or parts that each end with a slash: {@code team/shuffle/}
 */
public record KeyPrefix(String text) {
    /**
     * The longest prefix, in characters. It leaves room for a blob's key, which has fewer than 100;
     * object stores allow keys of 1024 bytes.
     */
    private static final int LONGEST = 512;

    /**
     * Checks that the prefix has no empty part, no dots that a client or a proxy would resolve, and
     * no control characters.
     */
    public KeyPrefix {
        if (text.length() > LONGEST) {
            throw invalid(text, "it has " + text.length() + " characters, and " + LONGEST + " are the most");
        }
        if (!text.isEmpty() && !text.endsWith("/")) {
            throw invalid(text, "it does not end with a slash");
        }
        if (text.chars().anyMatch(character -> character < 0x20 || character > 0x7e || character == '\\')) {
            throw invalid(text, "it holds a backslash, or something else than printable ASCII");
        }
        String parts = text.isEmpty() ? "" : text.substring(0, text.length() - 1);
        for (String part : parts.split("/", -1)) {
            if (!text.isEmpty() && (part.isEmpty() || part.equals(".") || part.equals(".."))) {
                throw invalid(text, "it has the part '" + part + "'");
            }
        }
    }

    /**
     * The path of a store's URI as a prefix.
     *
     * @throws InvalidSettingsException fatal: the path is not a valid prefix
     */
    public static KeyPrefix of(StoreUri uri) {
        return of(uri.path());
    }

    /**
     * A path as a prefix, with or without slashes around it; empty for none.
     *
     * @throws InvalidSettingsException fatal: the path is not a valid prefix
     */
    public static KeyPrefix of(String given) {
        String path = given.startsWith("/") ? given.substring(1) : given;
        return new KeyPrefix(path.isEmpty() || path.endsWith("/") ? path : path + "/");
    }

    /** The key of the store's {@link StoreMarker}. */
    public String marker() {
        return text + StoreMarker.NAME;
    }

    /**
     * The keys of the markers of outer stores, among whose blobs this prefix would lie: for each
     * part {@code blobs}, the marker next to it. Empty for most prefixes.
     */
    public List<String> outerMarkers() {
        List<String> markers = new ArrayList<>();
        String root = "/" + BlobKey.ROOT;
        String slashed = "/" + text;
        for (int at = slashed.indexOf(root); at >= 0; at = slashed.indexOf(root, at + 1)) {
            markers.add(text.substring(0, at) + StoreMarker.NAME);
        }
        return List.copyOf(markers);
    }

    /**
     * The failure for a prefix among the blobs of another store, whose marker was found.
     *
     * @param marker the location of that marker
     */
    public InvalidSettingsException inside(String marker) {
        return new InvalidSettingsException(
                "Cannot open a store with the prefix '" + text + "': it lies among the blobs of the"
                        + " store whose marker is " + marker
                        + ", and rules for those blobs would apply to it. Choose a prefix outside it.");
    }

    /**
     * Refuses to erase a whole bucket.
     *
     * @param location the store, for the message
     * @throws StoreRefusedException the prefix is empty
     */
    public void requireErasable(String location) {
        if (text.isEmpty()) {
            throw new StoreRefusedException("Cannot erase " + location
                    + ": it has no prefix, so others may keep data there. Delete the bucket instead.");
        }
    }

    /** The prefix of the keys of all blobs. */
    public String blobs() {
        return text + BlobKey.ROOT;
    }

    /**
     * Rejects a new store around keys of others.
     *
     * @param directory a prefix of keys below {@link #blobs()}, up to its next slash; or a key
     * @param location the bucket, for messages
     * @throws InvalidSettingsException fatal: the directory is not one of this store's blobs
     */
    public void requireOwn(String directory, String location) {
        if (parseOwner(directory).isEmpty()) {
            throw new InvalidSettingsException("Cannot create a store with the prefix '" + text + "': " + location + "/"
                    + directory
                    + " exists, which does not belong to a blob. Another store may be there, and rules for this"
                    + " store's blobs would apply to it. Choose another prefix, or move it.");
        }
    }

    /** The key of a register. */
    public String register(String name) {
        return text + "blobshuffle-register-" + name;
    }

    /** The key of a blob. */
    public String key(BlobId id) {
        return text + BlobKey.of(id);
    }

    /**
     * The key of a blob under a name.
     *
     * @throws IllegalArgumentException a part of the name is empty, or dots
     */
    public String named(String name) {
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw new IllegalArgumentException(
                        "Cannot use '" + name + "' as the name of a blob: it has the part '" + part + "'.");
            }
        }
        return text + name;
    }

    /** The blob of a key; empty for keys that {@link #key} does not produce. */
    public Optional<BlobId> blob(String key) {
        return key.startsWith(text) ? BlobKey.parse(key.substring(text.length())) : Optional.empty();
    }

    /** The prefix of the keys of an owner's blobs of a generation in one shard. */
    public String generation(int owner, int shard, long generation) {
        return text + BlobKey.generation(owner, shard, generation);
    }

    /**
     * A prefix of the keys of an owner's blobs of some generations in one shard. Keys of other
     * generations may have it too.
     */
    public String span(int owner, int shard, GenerationSpan generations) {
        return text + BlobKey.span(owner, shard, generations);
    }

    /** The prefix of the keys of an owner's blobs in one shard. */
    public String shard(int owner, int shard) {
        return text + BlobKey.shard(owner, shard);
    }

    /** The owner that a prefix of keys below {@link #blobs()}, up to its next slash, belongs to. */
    public OptionalInt parseOwner(String start) {
        return start.startsWith(text) ? BlobKey.parseOwner(start.substring(text.length())) : OptionalInt.empty();
    }

    /** The generation of a prefix that {@link #generation} produced; empty for any other text. */
    public OptionalLong parseGeneration(String start) {
        return start.startsWith(text) ? BlobKey.parseGeneration(start.substring(text.length())) : OptionalLong.empty();
    }

    private static InvalidSettingsException invalid(String text, String reason) {
        return new InvalidSettingsException("Cannot use '" + text + "' as the prefix of a store's keys: " + reason
                + ". Give parts of letters, digits, - and _, separated by single slashes.");
    }
}
