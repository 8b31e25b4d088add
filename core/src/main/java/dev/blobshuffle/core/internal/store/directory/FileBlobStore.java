package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.StoreFingerprint;
import dev.blobshuffle.core.internal.store.StoreTasks;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * A store in one or more directories of a file system, the embedded default. All instances must see
 * the same directories. The store writes a blob under a temporary name, forces it to the device as
 * {@link Fsync} defines, and renames it. A reader thus finds the whole blob or none.
 *
 * <p>A hash of the id spreads the blobs over several directories (one per disk). Puts skip a
 * directory that failed or is full for a while; gets look in all directories, the likeliest first.
 * A marker file with the store's id identifies each directory. An unmounted directory therefore
 * causes {@link StoreUnavailableException} and never {@link BlobMissingException}, and a directory
 * of another store is rejected.
 *
 * <p>Reads and writes have separate threads, so that neither waits behind the other. Thread-safe.
 */
public final class FileBlobStore implements BlobStore {
    private static final int WRITERS = 4;
    private static final int READERS = 4;

    private final List<BlobDirectory> directories;
    private final StoreMembers members;

    /** The directory of the registers, if the markers do not name it. */
    private final Optional<BlobDirectory> earlierRegisters;

    private final int fingerprint;
    private final Fsync fsync;
    private final StoreTasks writes;
    private final StoreTasks reads;
    private final FileRegisters registers;
    private final DirectoryClocks clocks;
    private final ReadBuffers buffers = new ReadBuffers(ReadBuffers.USUAL_KEPT);

    private FileBlobStore(List<BlobDirectory> directories, StoreOpening.Opened opened, Fsync fsync, Time time) {
        this.directories = directories;
        members = opened.members();
        earlierRegisters = opened.registers();
        fingerprint = StoreFingerprint.of(opened.store());
        this.fsync = fsync;
        writes = new StoreTasks(time.workers("blobshuffle-file-write", WRITERS), location());
        reads = new StoreTasks(time.workers("blobshuffle-file-read", READERS), location());
        clocks = new DirectoryClocks(time);
        registers = new FileRegisters(this::placeOfRegisters, writes, Long.toHexString(time.randomLong()));
    }

    /**
     * Opens a store and creates its missing directories. Blocks.
     *
     * @param directories all directories of the store, in any order
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the directories are not
     *     one whole store
     * @throws StoreUnavailableException recoverable: no directory can be written, or a new store
     *     cannot be created in all of them
     */
    public static FileBlobStore open(List<Path> directories, Fsync fsync, Time time) {
        return open(directories, fsync, time, WhenAbsent.CREATE);
    }

    static FileBlobStore open(List<Path> directories, Fsync fsync, Time time, WhenAbsent whenAbsent) {
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("Cannot open a file store: no directory is given. Give one or more.");
        }
        List<BlobDirectory> opened = new ArrayList<>();
        for (Path directory : directories) {
            opened.add(new BlobDirectory(directory.toAbsolutePath().normalize(), time));
        }
        StoreOpening.Opened store = new StoreOpening(opened, time, whenAbsent).open();
        return new FileBlobStore(List.copyOf(opened), store, fsync, time);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        return writes.run("store blob " + id, () -> write(id, content), content::release);
    }

    private Void write(BlobId id, BlobContent content) {
        List<IOException> failures = new ArrayList<>();
        for (BlobDirectory directory : forWriting(id)) {
            try {
                directory.write(id, content, fsync);
                return nothing();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        throw unavailable(
                "store blob " + id, failures, "Check that the directories are mounted, writable and not full.");
    }

    /**
     * The directories in the order of the hash, the failing ones last. If all are failing, each is
     * still tried.
     */
    private List<BlobDirectory> forWriting(BlobId id) {
        List<BlobDirectory> healthy = new ArrayList<>(directories.size());
        List<BlobDirectory> failing = new ArrayList<>(0);
        for (BlobDirectory directory : inOrder(id)) {
            (directory.isFailing() ? failing : healthy).add(directory);
        }
        healthy.addAll(failing);
        return healthy;
    }

    /**
     * The index, from 0, of the directory in which a blob belongs, out of a number of directories.
     */
    static int place(BlobId id, int count) {
        // Uses other bits than the key's shard, so that every directory has every shard.
        return (int) Long.remainderUnsigned((id.writer() + id.sequence()) * 0xD6E8_FEB8_6659_FD93L >>> 20, count);
    }

    private List<BlobDirectory> inOrder(BlobId id) {
        int count = directories.size();
        if (count == 1) {
            return directories;
        }
        int first = place(id, count);
        List<BlobDirectory> order = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            order.add(directories.get((first + i) % count));
        }
        return order;
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return reads.run("read blob " + id, () -> read(id, range));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return reads.run("measure blob " + id, () -> inFirst(id, directory -> directory.length(id)));
    }

    private BlobBytes read(BlobId id, BlobRange range) {
        if (range.length() > Integer.MAX_VALUE - 8) {
            throw range.outside(id, Integer.MAX_VALUE - 8, location());
        }
        return inFirst(id, directory -> directory.read(id, range, buffers));
    }

    private interface DirectoryRead<T> {
        T of(BlobDirectory directory) throws IOException;
    }

    /** The answer of the first directory that has the blob. */
    private <T> T inFirst(BlobId id, DirectoryRead<T> question) {
        List<IOException> failures = new ArrayList<>(0);
        for (BlobDirectory directory : inOrder(id)) {
            try {
                return question.of(directory);
            } catch (NoSuchFileException e) {
                try {
                    directory.requireThere();
                } catch (IOException notThere) {
                    failures.add(notThere);
                }
            } catch (IOException e) {
                failures.add(e);
            }
        }
        addIfChanged(failures);
        if (failures.isEmpty()) {
            throw new BlobMissingException(
                    "Cannot read blob " + id + ": it is not in " + location()
                            + ". Check that writers and readers use the same directories, and that blobs are kept for long enough.");
        }
        throw unavailable("read blob " + id, failures, "Check that the directories are mounted and readable.");
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        List<BlobId> copy = List.copyOf(ids);
        return writes.run("delete " + copy.size() + " blobs", () -> {
            forEachDirectory("delete blobs", directory -> directory.delete(copy));
            return nothing();
        });
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return reads.run("list generation " + generation, () -> {
            Map<BlobId, StoredBlob> found = new LinkedHashMap<>();
            forEachDirectory(
                    "list generation " + generation,
                    directory -> directory
                            .listing()
                            .list(owner, generation, clocks.conversion(directory, directoryOfTheClock()), found));
            return List.copyOf(found.values());
        });
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return reads.run("list generations", () -> {
            Set<Long> generations = new LinkedHashSet<>();
            forEachDirectory(
                    "list generations", directory -> directory.listing().generations(owner, generations));
            return List.copyOf(generations);
        });
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return reads.run("list owners", () -> {
            Set<Integer> owners = new LinkedHashSet<>();
            forEachDirectory("list owners", directory -> directory.listing().owners(owners));
            return List.copyOf(owners);
        });
    }

    private interface DirectoryAction {
        void on(BlobDirectory directory) throws IOException;
    }

    private void addIfChanged(List<IOException> failures) {
        try {
            members.requireUnchanged();
        } catch (IOException e) {
            failures.add(e);
        }
    }

    /**
     * Runs an action in every directory, and fails if one fails. Otherwise callers would mistake a
     * partial listing or delete for a complete one.
     */
    private void forEachDirectory(String what, DirectoryAction action) {
        List<IOException> failures = new ArrayList<>(0);
        for (BlobDirectory directory : directories) {
            try {
                directory.requireThere();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        addIfChanged(failures);
        for (BlobDirectory directory : failures.isEmpty() ? directories : List.<BlobDirectory>of()) {
            try {
                action.on(directory);
                // If the directory was unmounted, the action saw the files of the mount point.
                directory.requireThere();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw unavailable(what, failures, "Check that the directories are mounted and accessible.");
        }
    }

    /**
     * The directory of the registers. No other directory may take its place, because a missing
     * register would look like one that was never written.
     */
    private Path placeOfRegisters() throws IOException {
        members.requireSameRegisters();
        IOException failure = new IOException(
                "the directory " + members.layout().map(StoreLayout::first).orElse("")
                        + " of the store, which holds the registers, is not there");
        for (BlobDirectory directory : directories) {
            try {
                directory.requireThere();
                members.requireSameRegisters();
                if (isForRegisters(directory)) {
                    return directory.path();
                }
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    /**
     * The directory whose file server dates the registers. If no directory holds registers, no
     * register's time is compared with those of blobs.
     */
    private BlobDirectory directoryOfTheClock() throws IOException {
        for (BlobDirectory directory : directories) {
            if (isForRegisters(directory)) {
                return directory;
            }
        }
        return directories.get(0);
    }

    private boolean isForRegisters(BlobDirectory directory) throws IOException {
        Optional<StoreLayout> layout = members.layout();
        if (layout.isPresent()) {
            return directory.id().equals(layout.map(StoreLayout::first));
        }
        return earlierRegisters.isPresent() ? directory == earlierRegisters.get() : directory.hasRegister();
    }

    @Override
    public Optional<Registers> registers() {
        return Optional.of(registers);
    }

    @Override
    public int fingerprint() {
        return fingerprint;
    }

    @Override
    public boolean isRemote() {
        return false;
    }

    @Override
    public String location() {
        return "file://" + directories.stream().map(BlobDirectory::toString).collect(Collectors.joining(","));
    }

    /**
     * Lets running reads and writes end; the others complete with {@code ClosedException}.
     * Idempotent.
     */
    @Override
    public void close() {
        writes.close();
        reads.close();
        directories.forEach(BlobDirectory::close);
        buffers.clear();
    }

    private StoreUnavailableException unavailable(String what, List<IOException> failures, String remedy) {
        String reasons = failures.stream().map(IOException::toString).collect(Collectors.joining("; "));
        StoreUnavailableException failure = new StoreUnavailableException(
                "Cannot " + what + ": " + location() + " failed with " + reasons + ". " + remedy, failures.get(0));
        failures.stream().skip(1).forEach(failure::addSuppressed);
        return failure;
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    private static Void nothing() {
        return null;
    }
}
