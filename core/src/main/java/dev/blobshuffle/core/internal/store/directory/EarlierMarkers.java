package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Directories whose markers name the store only, because an earlier version created them. The
 * markers do not show whether the URI names all directories of the store. Three other facts help:
 *
 * <ul>
 *   <li>Earlier versions keep the registers in the first directory, and register each user before
 *       its first blob. Without a register, the first directory may be another one, and a sweep
 *       would not see the claims in it.
 * <li>With N directories, the blobs of each have the same remainder of their hash modulo N, unless
 *     a directory was down or was added later.
 *   <li>A directory in which no store was ever opened has no staging area.
 * </ul>
 *
 * <p>Reads the directories. Owned by the thread that opens the store.
 */
final class EarlierMarkers {
    /**
     * The number of blobs that make a common remainder conclusive. Modulo 2, so many blobs share a
     * remainder by chance with a probability of 1 in 2^23.
     */
    private static final int ENOUGH = 24;

    /** The number of blobs of a directory that are examined. */
    private static final int SAMPLE = 256;

    /** The largest number of directories that is tried. */
    private static final int MOST = 64;

    private final List<BlobDirectory> directories;
    private final List<List<BlobId>> samples = new ArrayList<>();
    private final List<BlobDirectory> withRegister = new ArrayList<>();
    private boolean isUsed;

    /**
     * Examines directories.
     *
     * @param directories the available directories
     */
    EarlierMarkers(List<BlobDirectory> directories) throws IOException {
        this.directories = directories;
        for (BlobDirectory directory : directories) {
            samples.add(directory.listing().sample(SAMPLE));
            if (directory.hasRegister()) {
                withRegister.add(directory);
            }
            isUsed |= directory.isUsed();
        }
    }

    /** Whether a store was ever opened in one of the directories. */
    boolean isUsed() {
        return isUsed;
    }

    /**
     * The directory that holds the registers; empty if none does.
     *
     * @throws InvalidSettingsException fatal: several directories hold registers
     */
    Optional<BlobDirectory> registers() {
        if (withRegister.size() > 1) {
            throw new InvalidSettingsException("Cannot open store "
                    + withRegister.stream().map(BlobDirectory::toString).collect(Collectors.joining(","))
                    + ": each of these directories holds claims, so instances of an earlier version named them in"
                    + " another order or alone. Stop all instances, and move the files " + FileRegisters.PREFIX
                    + "* out of all directories but the one that your instances name first.");
        }
        return withRegister.stream().findFirst();
    }

    /**
     * Rejects directories whose blobs show that the store has more directories.
     *
     * @param named how many directories the URI names
     * @throws InvalidSettingsException fatal: the store has more directories
     */
    void requireNoMore(int named) {
        for (int i = 0; i < directories.size(); i++) {
            for (int count = named + 1; count <= MOST; count++) {
                if (shared(samples.get(i), count).isPresent()) {
                    throw new InvalidSettingsException(
                            "Cannot open store file://" + directories.get(i) + ": its blobs are those of"
                                    + " one of " + count + " directories, and " + named
                                    + (named == 1 ? " is named." : " are named.")
                                    + " Name all directories of the store, separated by commas.");
                }
            }
        }
    }

    /**
     * The directories in the order of their remainders; empty if their blobs do not prove that they
     * are all directories of the store.
     */
    Optional<List<BlobDirectory>> proven() {
        List<Optional<BlobDirectory>> order =
                new ArrayList<>(Collections.nCopies(directories.size(), Optional.empty()));
        for (int i = 0; i < directories.size(); i++) {
            Optional<Integer> place = shared(samples.get(i), directories.size());
            if (place.isEmpty() || order.get(place.get()).isPresent()) {
                return Optional.empty();
            }
            order.set(place.get(), Optional.of(directories.get(i)));
        }
        List<BlobDirectory> all = order.stream().flatMap(Optional::stream).toList();
        return registers().equals(Optional.of(all.get(0))) ? Optional.of(all) : Optional.empty();
    }

    /** The remainder that all blobs of a large enough sample leave; empty if there is none. */
    private static Optional<Integer> shared(List<BlobId> sample, int count) {
        if (sample.size() < ENOUGH) {
            return Optional.empty();
        }
        var remainders = new HashSet<Integer>();
        for (BlobId id : sample) {
            remainders.add(FileBlobStore.place(id, count));
        }
        return remainders.size() == 1 ? remainders.stream().findFirst() : Optional.empty();
    }
}
