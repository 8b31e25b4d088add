package dev.blobshuffle.core.internal.store.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The directories that belong to an open file store. It decides whether a directory may be used,
 * even if the directory is mounted later or an operator changes the list while the store is open.
 *
 * <p>Thread-safe.
 */
final class StoreMembers {
    private final String store;
    private final int size;

    /** Empty if the markers do not name the directories. */
    private final Optional<StoreLayout> opened;

    /** The newest layout that a marker has shown. */
    private volatile Optional<StoreLayout> newest;

    /** The path of each directory, by its id. */
    private final ConcurrentMap<String, Path> paths = new ConcurrentHashMap<>();

    /**
     * The directories of a store.
     *
     * @param size how many directories the store was opened with
     * @param opened empty if the markers do not name the directories
     */
    StoreMembers(String store, int size, Optional<StoreLayout> opened) {
        this.store = store;
        this.size = size;
        this.opened = opened;
        newest = opened;
    }

    /** The newest layout; empty while no marker names the directories. */
    Optional<StoreLayout> layout() {
        return newest;
    }

    /**
     * The directory's id by its marker; empty if the marker does not name it.
     *
     * @throws IOException the directory must not be used
     */
    Optional<String> admit(Path path, DirectoryMarker marker) throws IOException {
        if (!marker.store().equals(store)) {
            throw new IOException(path + " belongs to store " + marker.store() + ", not to store " + store
                    + ". Mount the right directory");
        }
        if (marker.place().isEmpty()) {
            if (opened.isPresent()) {
                throw new IOException(path + " has a marker that does not say which directory of store " + store
                        + " it is. Restore its marker");
            }
            return Optional.empty();
        }
        DirectoryMarker.Place place = marker.place().get();
        learn(path, place.layout());
        Path other = paths.putIfAbsent(place.directory(), path);
        if (other != null && !other.equals(path)) {
            throw new IOException(path + " is directory " + place.directory() + " of store " + store + ", and so is "
                    + other + ". Mount each directory once");
        }
        return Optional.of(place.directory());
    }

    private synchronized void learn(Path path, StoreLayout seen) throws IOException {
        if (newest.isEmpty() || newest.get().edition() < seen.edition()) {
            newest = Optional.of(seen);
        } else if (newest.get().edition() == seen.edition() && !newest.get().equals(seen)) {
            throw new IOException(path + " names the directories " + seen.directories() + " of store " + store
                    + ", and another directory names " + newest.get().directories()
                    + ". Mount the directories of one store");
        }
    }

    /**
     * Checks that a directory is still one of the store's.
     *
     * @throws IOException an operator has removed it
     */
    void requireMember(Path path, String directory) throws IOException {
        if (newest.isPresent() && !newest.get().has(directory)) {
            throw new IOException(
                    path + " was removed from store " + store + ". Start this instance again with the store's new URI");
        }
    }

    /**
     * Checks that this instance knows all directories of the store. Otherwise a blob that it does
     * not find is not missing, and its listings are incomplete.
     *
     * @throws IOException an operator has added or removed a directory
     */
    void requireUnchanged() throws IOException {
        Optional<StoreLayout> now = newest;
        boolean isChanged = now.isPresent() && (opened.isEmpty() ? now.get().size() != size : !now.equals(opened));
        if (isChanged) {
            throw new IOException("the directories of store " + store + " were changed while it was open: it has "
                    + now.get().size() + " now, and this instance knows " + size
                    + ". Start this instance again with the store's new URI");
        }
    }

    /**
     * Checks that the registers are in the same directory as when the store was opened. Versions of
     * a register in one directory are unrelated to those in another.
     *
     * @throws IOException an operator has removed the directory of the registers
     */
    void requireSameRegisters() throws IOException {
        if (opened.isPresent() && !opened.map(StoreLayout::first).equals(newest.map(StoreLayout::first))) {
            requireUnchanged();
        }
    }
}
