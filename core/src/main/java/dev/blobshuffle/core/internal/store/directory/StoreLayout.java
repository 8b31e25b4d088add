package dev.blobshuffle.core.internal.store.directory;

import java.util.HashSet;
import java.util.List;

/**
 * The directories of a file store. The marker of each directory holds it, so that a store is never
 * opened with some of its directories.
 *
 * @param store the store's id
 * @param edition counts the changes of the list, from 1
 * @param directories the ids of the directories, in no relation to their paths; the first one holds
 *     the registers
 */
record StoreLayout(String store, long edition, List<String> directories) {
    /** Copies the ids, and checks that they differ. */
    StoreLayout {
        directories = List.copyOf(directories);
        if (directories.isEmpty() || new HashSet<>(directories).size() < directories.size()) {
            throw new IllegalArgumentException(
                    "Cannot lay out a store: its directories " + directories + " must differ. Give each an id.");
        }
    }

    /** The directory of the registers. */
    String first() {
        return directories.get(0);
    }

    boolean has(String directory) {
        return directories.contains(directory);
    }

    int size() {
        return directories.size();
    }
}
