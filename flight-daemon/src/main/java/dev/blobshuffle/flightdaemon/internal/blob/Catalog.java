package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The namespaces that the daemon serves. Each namespace has its own directories with shuffles. The
 * catalog keeps no index that a restart would lose. Thread-safe.
 */
public final class Catalog {
    private static final long IDLE_MILLIS = Duration.ofMinutes(10).toMillis();

    private final FooterCache<StoredBlob, BlobFooter> footers;
    private final Time time;
    private final MemoryTier tier;
    private final long writer;
    private final AtomicLong sequence = new AtomicLong();
    private final Map<String, Namespace> namespaces = new TreeMap<>();

    /** A namespace's directories, and the shuffles that were requested so far. */
    private record Namespace(Shuffle.Place place, Map<String, Shuffle> shuffles) {
        List<BlobRoot> roots() {
            return place.roots();
        }
    }

    /**
     * Limits on the space of blobs.
     *
     * @param footerBytes most bytes of footers in memory
     * @param blobBytes most bytes of blobs that stay in memory; 0: none
     * @param quota most bytes of blobs in each directory; empty: limited by the disk only
     */
    public record Limits(long footerBytes, long blobBytes, OptionalLong quota) {}

    /**
     * Opens the directories.
     *
     * @param directories of each namespace, at least one
     * @param copies the store of the copies of each namespace that has one
     * @throws InvalidSettingsException fatal: a directory does not exist, or lies in another
     */
    public Catalog(Map<String, List<Path>> directories, Map<String, CopyStore> copies, Limits limits, Time time) {
        footers = new FooterCache<>(limits.footerBytes(), BlobFooter::weight);
        tier = new MemoryTier(limits.blobBytes());
        this.time = time;
        writer = time.randomLong();
        directories.forEach((name, paths) -> {
            if (!BlobName.isShuffle(name)) {
                throw new InvalidSettingsException("Cannot serve namespace '" + name
                        + "': legal are 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
            }
            List<BlobRoot> roots = paths.stream().map(BlobRoot::new).collect(Collectors.toList());
            Shuffle.Place place = new Shuffle.Place(
                    roots, new Placement(roots, limits.quota(), time), tier, Optional.ofNullable(copies.get(name)));
            namespaces.put(name, new Namespace(place, new HashMap<>()));
        });
        checkApart();
    }

    private void checkApart() {
        List<Path> all = new ArrayList<>();
        for (Namespace namespace : namespaces.values()) {
            for (BlobRoot root : namespace.roots()) {
                for (Path other : all) {
                    if (root.directory().startsWith(other) || other.startsWith(root.directory())) {
                        throw new InvalidSettingsException("Cannot serve " + root.directory() + " and " + other
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
     * A shuffle that exists, after a refresh from its directories. Does not look for copies.
     *
     * @throws RefusedException the shuffle does not exist
     */
    public Shuffle shuffle(String namespace, String shuffle) {
        Namespace home = namespace(namespace);
        Shuffle found = entry(home, shuffle);
        boolean isThere = false;
        try {
            isThere = found.refresh();
        } catch (BlobCorruptException e) {
            isThere = true; // It is damaged but present, so its lease is extended.
            throw e;
        } finally {
            if (!isThere) {
                forget(home, found);
            }
        }
        if (!isThere) {
            throw unknown(namespace, shuffle);
        }
        return found;
    }

    private Shuffle entry(Namespace home, String shuffle) {
        checkName(shuffle);
        synchronized (home) {
            return home.shuffles().computeIfAbsent(shuffle, name -> new Shuffle(name, home.place(), footers, time));
        }
    }

    private static RefusedException unknown(String namespace, String shuffle) {
        return new RefusedException(
                Reason.UNKNOWN,
                "Cannot read shuffle " + shuffle + ": namespace " + namespace
                        + " has none. It was released, its lease has ended, or no map has committed.");
    }

    /**
     * Reads from a shuffle that exists. If a part is neither in the directories nor in memory,
     * looks for copies and reads again, which blocks on the network.
     *
     * @throws RefusedException the shuffle does not exist and has no copy
     * @throws StoreUnavailableException recoverable: a part is missing, and the store of copies
     *     does not answer
     */
    public <T> T read(String namespace, String shuffle, Function<Shuffle, T> reading) {
        Namespace home = namespace(namespace);
        Optional<CopyStore> copies = home.place().copies();
        if (copies.isEmpty()) {
            return reading.apply(shuffle(namespace, shuffle));
        }
        RuntimeException missing;
        try {
            Shuffle found = shuffle(namespace, shuffle);
            if (found.isCopyOld()) {
                boolean ignored = found.look(copies.get());
            }
            return reading.apply(found);
        } catch (RefusedException e) {
            if (e.reason() != Reason.UNKNOWN && e.reason() != Reason.INCOMPLETE) {
                throw e;
            }
            missing = e;
        } catch (BlobMissingException e) {
            missing = e;
        }
        return reading.apply(withCopies(home, namespace, shuffle, copies.get(), missing));
    }

    private Shuffle withCopies(
            Namespace home, String namespace, String shuffle, CopyStore copies, RuntimeException missing) {
        Shuffle found = entry(home, shuffle);
        boolean isThere = false;
        try {
            isThere = found.refresh();
            isThere = found.look(copies) || isThere && found.refresh();
        } catch (StoreUnavailableException e) {
            if (missing instanceof RefusedException refused && refused.reason() == Reason.INCOMPLETE) {
                // The refusal already names the maps to run. This needs no copies.
                refused.addSuppressed(e);
                throw refused;
            }
            e.addSuppressed(missing);
            throw e;
        } finally {
            if (!isThere) {
                forget(home, found);
            }
        }
        if (!isThere) {
            throw unknown(namespace, shuffle);
        }
        return found;
    }

    /** Forgets shuffles that only have copies after ten minutes without a read. */
    public void forgetIdleCopies() {
        for (Namespace home : namespaces.values()) {
            synchronized (home) {
                boolean ignored = home.shuffles().values().removeIf(shuffle -> shuffle.isIdleCopy(IDLE_MILLIS));
            }
        }
    }

    /** The store of the copies of a namespace. */
    public Optional<CopyStore> copies(String namespace) {
        return namespace(namespace).place().copies();
    }

    private static void checkName(String shuffle) {
        if (!BlobName.isShuffle(shuffle)) {
            throw new RefusedException(
                    Reason.INVALID,
                    "Cannot use shuffle '" + shuffle
                            + "': legal are 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
        }
    }

    private static void forget(Namespace home, Shuffle shuffle) {
        synchronized (home) {
            if (!shuffle.hasMemory()) { // A put may have ended meanwhile.
                boolean ignored = home.shuffles().remove(shuffle.name(), shuffle);
            }
        }
    }

    /**
     * Begins an attempt of a map whose batches a client sends.
     *
     * @param partitions the number of partitions of the shuffle
     * @throws RefusedException a name or number is illegal
     */
    public MapPut put(String namespace, String shuffle, MapSet.Attempt attempt, int partitions) {
        Namespace home = namespace(namespace);
        checkName(shuffle);
        long now = time.wallMillis();
        BlobName name = new BlobName(
                attempt.map(),
                attempt.attempt(),
                new BlobId(now / BlobId.MILLIS_PER_GENERATION, writer, sequence.getAndIncrement()));
        MapPut.Held held = (blob, content) -> {
            synchronized (home) {
                return home.shuffles()
                        .computeIfAbsent(shuffle, key -> new Shuffle(key, home.place(), footers, time))
                        .hold(blob, content);
            }
        };
        Container.Origin origin = new Container.Origin(shuffle, attempt.map(), attempt.attempt());
        return new MapPut(name, origin, partitions, home.place(), held, now);
    }

    private Namespace namespace(String name) {
        Namespace found = namespaces.get(name);
        if (found == null) {
            throw new RefusedException(
                    Reason.UNKNOWN,
                    "Cannot use namespace " + name + ": the daemon serves " + namespaces.keySet() + ".");
        }
        return found;
    }

    /**
     * Registers a blob by its path, below a directory of the namespace or relative to one.
     *
     * @throws RefusedException the path leads elsewhere
     */
    public StoredBlob register(String namespace, String path) {
        Path named;
        try {
            named = Path.of(path);
        } catch (IllegalArgumentException e) {
            throw new RefusedException(Reason.INVALID, "Cannot register a blob: its path is none. Name a file.");
        }
        for (BlobRoot root : namespace(namespace).roots()) {
            Path relative = named.isAbsolute() && named.startsWith(root.directory())
                    ? root.directory().relativize(named)
                    : named;
            // No part may be "..": names are used as they are and never resolved.
            if (!relative.isAbsolute()
                    && relative.getNameCount() == 3
                    && relative.getName(0).toString().equals("shuffles")
                    && BlobName.isShuffle(relative.getName(1).toString())) {
                return shuffle(namespace, relative.getName(1).toString())
                        .register(relative.getName(2).toString());
            }
        }
        throw new RefusedException(
                Reason.FORBIDDEN,
                "Cannot register " + path + ": it is not shuffles/SHUFFLE/BLOB below a directory of namespace "
                        + namespace + ". Write it there.");
    }

    /**
     * Deletes a shuffle: first its copies, then its files. Idempotent.
     *
     * @throws StoreUnavailableException recoverable: the store of copies does not answer; the
     *     directories are unchanged
     */
    public void release(String namespace, String shuffle) {
        checkName(shuffle);
        Runnable directories = () -> releaseDirectories(namespace, shuffle);
        copies(namespace).ifPresentOrElse(copies -> copies.release(shuffle, directories), directories);
    }

    /** Releases without reading the shuffle, so that it works for a damaged commit too. */
    private void releaseDirectories(String namespace, String shuffle) {
        Namespace home = namespace(namespace);
        Shuffle found = entry(home, shuffle);
        found.release();
        forget(home, found);
    }

    /** Extends the lease of a shuffle. */
    public void renew(String namespace, String shuffle) {
        boolean ignored = read(namespace, shuffle, found -> {
            found.use();
            return true;
        });
    }

    /** The names of the shuffles of a namespace, sorted. */
    public Collection<String> names(String namespace) {
        TreeSet<String> names = new TreeSet<>();
        Namespace home = namespace(namespace);
        home.roots().forEach(root -> names.addAll(root.shuffles()));
        synchronized (home) {
            home.shuffles().values().stream().filter(Shuffle::hasMemory).forEach(one -> names.add(one.name()));
        }
        return names;
    }

    /**
     * Releases shuffles that were unused for a lease, including those with a damaged commit. Keeps
     * shuffles that only have copies: they belong to another daemon. If a store is unavailable,
     * only its namespace is not swept.
     *
     * @param whenReleased takes the name of each released shuffle
     * @throws StoreUnavailableException the first failure, after all other namespaces have been
     *     swept
     */
    public void sweep(Duration lease, Consumer<String> whenReleased) {
        List<StoreUnavailableException> failed = new ArrayList<>();
        for (String namespace : namespaces()) {
            try {
                sweep(namespace, lease, whenReleased);
            } catch (StoreUnavailableException e) {
                failed.add(e);
            }
        }
        if (!failed.isEmpty()) {
            StoreUnavailableException first = failed.remove(0);
            failed.forEach(first::addSuppressed);
            throw first;
        }
    }

    private void sweep(String namespace, Duration lease, Consumer<String> whenReleased) {
        for (String name : names(namespace)) {
            try {
                if (time.wallMillis() - usedMillis(namespace, name) > lease.toMillis()) {
                    release(namespace, name);
                    whenReleased.accept(namespace + "/" + name);
                }
            } catch (RefusedException e) {
                continue; // It has been released meanwhile.
            }
        }
    }

    private long usedMillis(String namespace, String name) {
        try {
            return shuffle(namespace, name).usedMillis();
        } catch (BlobCorruptException e) {
            return entry(namespace(namespace), name).usedMillis(); // Readers get the failure.
        }
    }

    /** Bytes of footers in memory. */
    public long footerBytes() {
        return footers.usedBytes();
    }

    /** Bytes of blobs in memory. */
    public long blobBytes() {
        return tier.usedBytes();
    }

    /** The number of blobs that moved from memory to a directory. */
    public long movedBlobs() {
        return tier.movedBlobs();
    }

    /** The number of shuffles that were requested and not released since. */
    public int openShuffles() {
        int open = 0;
        for (Namespace namespace : namespaces.values()) {
            synchronized (namespace) {
                open += namespace.shuffles().size();
            }
        }
        return open;
    }

    /** Free space of the directory that has the least, bytes. */
    public long freeBytes() {
        return namespaces.values().stream()
                .flatMap(namespace -> namespace.roots().stream())
                .mapToLong(BlobRoot::freeBytes)
                .min()
                .orElse(0);
    }
}
