package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.blob.Refused.Reason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The namespaces that the daemon serves: each has directories of its own, and shuffles in them. It
 * keeps no index that a restart would lose. Thread-safe.
 */
public final class Catalog {
    private final FooterCache footers;
    private final Time time;
    private final Map<String, Namespace> namespaces = new TreeMap<>();

    /** A namespace's directories, and the shuffles that were asked for. */
    private record Namespace(List<BlobRoot> roots, Map<String, Shuffle> shuffles) {}

    /**
     * Opens the directories.
     *
     * @param directories of each namespace, at least one
     * @param footerBytes most bytes of footers in memory
     * @throws InvalidSettings fatal: a directory is not there, or lies in another
     */
    public Catalog(Map<String, List<Path>> directories, long footerBytes, Time time) {
        footers = new FooterCache(footerBytes);
        this.time = time;
        directories.forEach((name, paths) -> {
            if (!BlobName.isShuffle(name)) {
                throw new InvalidSettings("Cannot serve namespace '" + name
                        + "': legal are 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
            }
            namespaces.put(
                    name,
                    new Namespace(paths.stream().map(BlobRoot::new).collect(Collectors.toList()), new HashMap<>()));
        });
        checkApart();
    }

    private void checkApart() {
        List<Path> all = new ArrayList<>();
        for (Namespace namespace : namespaces.values()) {
            for (BlobRoot root : namespace.roots()) {
                for (Path other : all) {
                    if (root.directory().startsWith(other) || other.startsWith(root.directory())) {
                        throw new InvalidSettings("Cannot serve " + root.directory() + " and " + other
                                + ": one lies in the other. Use directories apart from each other.");
                    }
                }
                all.add(root.directory());
            }
        }
    }

    /** The names of the namespaces. */
    public List<String> namespaces() {
        return List.copyOf(namespaces.keySet());
    }

    /**
     * A shuffle that exists, as its directories are now.
     *
     * @throws Refused there is none
     */
    public Shuffle shuffle(String namespace, String shuffle) {
        Namespace home = namespace(namespace);
        if (!BlobName.isShuffle(shuffle)) {
            throw new Refused(
                    Reason.INVALID,
                    "Cannot read shuffle '" + shuffle
                            + "': legal are 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
        }
        Shuffle found;
        synchronized (home) {
            found = home.shuffles().computeIfAbsent(shuffle, name -> new Shuffle(name, home.roots(), footers, time));
        }
        boolean isThere = false;
        try {
            isThere = found.refresh();
        } finally {
            if (!isThere) {
                forget(home, found);
            }
        }
        if (!isThere) {
            throw new Refused(
                    Reason.UNKNOWN,
                    "Cannot read shuffle " + shuffle + ": namespace " + namespace
                            + " has none. It was released, its lease has ended, or no map has committed.");
        }
        return found;
    }

    private static void forget(Namespace home, Shuffle shuffle) {
        synchronized (home) {
            boolean ignored = home.shuffles().remove(shuffle.name(), shuffle);
        }
    }

    private Namespace namespace(String name) {
        Namespace found = namespaces.get(name);
        if (found == null) {
            throw new Refused(
                    Reason.UNKNOWN,
                    "Cannot use namespace " + name + ": the daemon serves " + namespaces.keySet() + ".");
        }
        return found;
    }

    /**
     * Registers a blob by its path: below a directory of the namespace, or relative to one.
     *
     * @throws Refused the path leads elsewhere
     */
    public StoredBlob register(String namespace, String path) {
        Path named;
        try {
            named = Path.of(path);
        } catch (IllegalArgumentException e) {
            throw new Refused(Reason.INVALID, "Cannot register a blob: its path is none. Name a file.");
        }
        for (BlobRoot root : namespace(namespace).roots()) {
            Path relative = named.isAbsolute() && named.startsWith(root.directory())
                    ? root.directory().relativize(named)
                    : named;
            // No part may be "..": names are taken as they are, never resolved.
            if (!relative.isAbsolute()
                    && relative.getNameCount() == 3
                    && relative.getName(0).toString().equals("shuffles")
                    && BlobName.isShuffle(relative.getName(1).toString())) {
                return shuffle(namespace, relative.getName(1).toString())
                        .register(relative.getName(2).toString());
            }
        }
        throw new Refused(
                Reason.FORBIDDEN,
                "Cannot register " + path + ": it is not shuffles/SHUFFLE/BLOB below a directory of namespace "
                        + namespace + ". Write it there.");
    }

    /** Deletes a shuffle's files. Idempotent. */
    public void release(String namespace, String shuffle) {
        try {
            Shuffle found = shuffle(namespace, shuffle);
            found.release();
            forget(namespace(namespace), found);
        } catch (Refused e) {
            if (e.reason() != Reason.UNKNOWN || !namespaces.containsKey(namespace)) {
                throw e;
            }
        }
    }

    /** Says that a shuffle is still used. */
    public void renew(String namespace, String shuffle) {
        shuffle(namespace, shuffle).use();
    }

    /** The shuffles of a namespace, by name. */
    public List<Shuffle> shuffles(String namespace) {
        TreeSet<String> names = new TreeSet<>();
        namespace(namespace).roots().forEach(root -> names.addAll(root.shuffles()));
        List<Shuffle> found = new ArrayList<>();
        for (String name : names) {
            try {
                found.add(shuffle(namespace, name));
            } catch (Refused e) {
                continue; // Released meanwhile.
            }
        }
        return found;
    }

    /** Releases shuffles that were not used for a lease; returns their names. */
    public List<String> sweep(Duration lease) {
        List<String> released = new ArrayList<>();
        for (String namespace : namespaces()) {
            for (Shuffle shuffle : shuffles(namespace)) {
                if (time.wallMillis() - shuffle.usedMillis() > lease.toMillis()) {
                    release(namespace, shuffle.name());
                    released.add(namespace + "/" + shuffle.name());
                }
            }
        }
        return released;
    }

    /** Bytes of footers in memory. */
    public long footerBytes() {
        return footers.usedBytes();
    }
}
