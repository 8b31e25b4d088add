package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreAbsent;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The file that makes a directory part of a file store and identifies the store. Two machines with
 * unshared directories of the same name have two stores. Without the file the directory counts as
 * not mounted. Object stores keep an object of the same name and content. Stateless.
 */
public final class StoreMarker {
    /** The name of the file, or the last part of the object's key. */
    public static final String NAME = "blobshuffle-store";

    private static final int LONGEST = 1024;
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
     * @throws InvalidSettings fatal: the content is not a marker
     */
    public static String id(String content, String where) {
        Matcher matcher = CONTENT.matcher(content);
        if (content.length() > LONGEST || !matcher.matches()) {
            throw new InvalidSettings("Cannot open store: " + where
                    + " is not a marker of BlobShuffle. Restore it, or name another place for the store.");
        }
        return matcher.group(1);
    }

    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(NAME));
    }

    /** The failure for a place without a marker, if none may be created. */
    public static StoreAbsent absent(String where) {
        return new StoreAbsent(
                "Cannot open store " + where + ": it has no marker (" + NAME
                        + "). Either it is not mounted, or something deleted the marker, or the store was never created."
                        + " Mount it or restore the marker. If the store is new, create it with `blobshuffle doctor --store URI --create --execute`.");
    }

    /**
     * Reads the store's id from the directories and skips directories that fail. A directory
     * without an id gets it, or is skipped if nothing may be created.
     */
    static String agree(List<BlobDirectory> directories, Time time, WhenAbsent whenAbsent) {
        if (whenAbsent == WhenAbsent.FAIL && directories.stream().noneMatch(directory -> isIn(directory.path()))) {
            throw absent(directories.stream().map(BlobDirectory::toString).collect(Collectors.joining(",")));
        }
        String id = null;
        Path from = null;
        StoreUnavailable failure = new StoreUnavailable("Cannot open store " + directories
                + ": no directory can be used. Check that they are mounted and writable.");
        for (BlobDirectory directory : directories) {
            try {
                if (whenAbsent == WhenAbsent.FAIL) {
                    directory.requireThere();
                }
                String found = directory.open(id == null ? newId(time) : id);
                if (id != null && !id.equals(found)) {
                    throw new InvalidSettings(
                            "Cannot open store " + directories + ": " + from + " belongs to store " + id + " and "
                                    + directory + " to store " + found + ". Name the directories of one store only.");
                }
                id = found;
                from = directory.path();
            } catch (IOException e) {
                directory.fail();
                failure.addSuppressed(e);
            }
        }
        if (id == null) {
            throw failure;
        }
        return id;
    }

    /**
     * The id in a directory; the offered id if there is none yet. If several processes start at
     * once, one of them sets the id.
     */
    static String read(Path directory, String offered) throws IOException {
        Path marker = directory.resolve(NAME);
        String found = parse(marker);
        if (found != null) {
            return found;
        }
        Path draft = directory.resolve(NAME + "." + offered + ".tmp");
        try {
            Files.writeString(draft, content(offered));
            Files.createLink(marker, draft);
        } catch (FileAlreadyExistsException e) {
            // Another process was faster; its id counts.
        } catch (UnsupportedOperationException e) {
            throw new IOException("the file system of " + directory + " has no hard links", e);
        } finally {
            Files.deleteIfExists(draft);
        }
        found = parse(marker);
        if (found == null) {
            throw new NoSuchFileException(marker.toString());
        }
        return found;
    }

    private static @Nullable String parse(Path marker) throws IOException {
        String content;
        try {
            content = Files.readString(marker, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return null;
        }
        return id(content, marker.toString());
    }
}
