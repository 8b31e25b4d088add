package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.StoreUri;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Removes a directory from a file store permanently. The URI names all other directories. If the
 * directory held the claims, and no other directory has a copy, the claims begin again with a
 * contest. Then nothing is swept until an operator takes over the store.
 *
 * <p>Owned by one thread.
 */
public final class DirectoryRemoval {
    private final String uri;
    private final List<Path> paths;
    private final String removed;
    private final String register;
    private final String contest;

    /** The directories that stay, by their ids. */
    private final Map<String, Path> members = new LinkedHashMap<>();

    private StoreLayout next;
    private boolean losesClaims;

    /**
     * Checks that the directory can be removed. Changes nothing.
     *
     * @param uri the store without the directory
     * @param directory the directory's id, as messages show it
     * @param register the name of the register of claims
     * @param contest the first value of that register if it is lost
     * @throws InvalidSettingsException fatal: the directory cannot be removed
     * @throws StoreUnavailableException recoverable: another directory is not available
     */
    public DirectoryRemoval(String uri, String directory, String register, String contest) {
        this.uri = uri;
        removed = directory;
        this.register = register;
        this.contest = contest;
        StoreUri parsed = StoreUri.parse(uri);
        if (!parsed.scheme().equals("file")) {
            throw refused("only a file store has directories. Name one");
        }
        paths = FileBlobStoreProvider.directories(parsed).stream()
                .map(path -> path.toAbsolutePath().normalize())
                .toList();
        DirectoryPaths.check(paths);
        next = look();
    }

    private InvalidSettingsException refused(String reason) {
        return new InvalidSettingsException(
                "Cannot remove directory " + removed + " from " + uri + ": " + reason + ".");
    }

    /** The layout without the directory. */
    private StoreLayout look() {
        members.clear();
        Optional<StoreLayout> newest = Optional.empty();
        for (Path path : paths) {
            DirectoryMarker.Place place = place(path);
            if (newest.isPresent() && !newest.get().equals(place.layout())) {
                throw refused(path + " and another directory do not name the same directories of one store."
                        + " Run `blobshuffle doctor --store URI --create --execute` with all directories first");
            }
            newest = Optional.of(place.layout());
            Path same = members.put(place.directory(), path);
            if (same != null) {
                throw refused(same + " and " + path + " are both directory " + place.directory()
                        + ". Name each directory once");
            }
        }
        StoreLayout layout = newest.orElseThrow();
        List<String> rest = new ArrayList<>(layout.directories());
        if (!rest.remove(removed) || !members.keySet().equals(Set.copyOf(rest))) {
            throw refused("store " + layout.store() + " has the directories " + layout.directories()
                    + ", and the URI names " + members.keySet()
                    + ". Name all directories but the one to remove");
        }
        losesClaims = false;
        if (layout.first().equals(removed)) {
            String heir = heir(rest);
            rest.remove(heir);
            rest.add(0, heir);
        }
        return new StoreLayout(layout.store(), layout.edition() + 1, rest);
    }

    private DirectoryMarker.Place place(Path path) {
        try {
            return DirectoryMarker.read(path)
                    .orElseThrow(() -> refused(path + " has no marker. Mount it, or name the right directory"))
                    .place()
                    .orElseThrow(() -> refused(path + " has a marker of an earlier version."
                            + " Run `blobshuffle doctor --store URI --create --execute` with all directories first"));
        } catch (IOException e) {
            throw unavailable(path, e);
        }
    }

    private StoreUnavailableException unavailable(Path path, IOException e) {
        return new StoreUnavailableException(
                "Cannot remove directory " + removed + " from " + uri + ": " + path + " failed with " + e
                        + ". Check that it is mounted and writable.",
                e);
    }

    /** The directory that holds the claims from now on. */
    private String heir(List<String> rest) {
        List<String> holders = new ArrayList<>();
        for (String id : rest) {
            Path path = path(id);
            try {
                if (FileRegisters.isIn(path, register)) {
                    holders.add(id);
                }
            } catch (IOException e) {
                throw unavailable(path, e);
            }
        }
        if (holders.size() > 1) {
            throw refused("several of the others hold claims (" + holders + "). Move the files " + FileRegisters.PREFIX
                    + "* out of all but one");
        }
        losesClaims = holders.isEmpty();
        return losesClaims ? rest.get(0) : holders.get(0);
    }

    private Path path(String id) {
        Path path = members.get(id);
        if (path == null) {
            throw new IllegalStateException("Cannot find directory " + id + ": it is not named. Name it.");
        }
        return path;
    }

    /** Describes the removal for an operator. */
    public String description() {
        return "store " + next.store() + " has " + next.size() + " directories without " + removed
                + (losesClaims
                        ? ". The claims were in it: nothing is swept until you take the store over"
                        : ". The claims are in " + path(next.first()));
    }

    /**
     * Removes the directory.
     *
     * @throws StoreUnavailableException recoverable: a directory is not available; repeat the
     *     removal
     */
    public void execute() {
        Path lockPath = paths.stream().sorted().toList().get(0);
        try (MarkerLock lock = MarkerLock.take(lockPath)) {
            next = look();
            if (losesClaims) {
                FileRegisters.start(path(next.first()), register, contest);
            }
            for (String id : next.directories()) {
                DirectoryMarker.replace(path(id), new DirectoryMarker.Place(id, next));
            }
        } catch (IOException e) {
            throw unavailable(lockPath, e);
        }
    }
}
