package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.time.Time;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file that makes a directory part of a file store and identifies the store. Two machines with
 * unshared directories of the same name have two stores. Without the file the directory counts as
 * not mounted. Object stores keep an object of the same name, whose content begins in the same way.
 * In a file store the file also names the store's directories. Stateless.
 */
public final class StoreMarker {
    /** The name of the file, or the last part of the object's key. */
    public static final String NAME = "blobshuffle-store";

    /** The most characters that a marker may have, also for earlier versions. */
    public static final int LONGEST = 1024;

    private static final Pattern CONTENT = Pattern.compile("BlobShuffle store ([0-9a-f]{16})\\n.*", Pattern.DOTALL);

    private StoreMarker() {}

    /** A new store's id. */
    public static String newId(Time time) {
        return String.format(Locale.ROOT, "%016x", time.randomLong());
    }

    /** The content of a store's marker, in UTF-8. */
    public static String content(String id) {
        return "BlobShuffle store " + id + "\nBlobs are kept here. Without this file they are not found.\n";
    }

    /**
     * The store's id in a marker's content.
     *
     * @param where the marker's location for messages, without credentials
     * @throws InvalidSettingsException fatal: the content is not a marker
     */
    public static String id(String content, String where) {
        Matcher matcher = CONTENT.matcher(content);
        if (content.length() > LONGEST || !matcher.matches()) {
            throw new InvalidSettingsException("Cannot open store: " + where
                    + " is not a marker of BlobShuffle. Restore it, or name another place for the store.");
        }
        return matcher.group(1);
    }

    /** The failure for a place without a marker, if none may be created. */
    public static StoreAbsentException absent(String where) {
        return new StoreAbsentException(
                "Cannot open store " + where + ": it has no marker (" + NAME
                        + "). Either it is not mounted, or something deleted the marker, or the store was never created."
                        + " Mount it or restore the marker. If the store is new, create it with `blobshuffle doctor --store URI --create --execute`.");
    }
}
