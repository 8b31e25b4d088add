package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.ExecutorMembers;
import dev.blobshuffle.spark.internal.directory.Usage;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.shim.TransportSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockId$;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Gives blocks to Spark's fetch iterator. A block of a blob comes from the executor that wrote
 * it, if that is in the own zone and has it on its disk; otherwise from the store. Between zones
 * only blocks travel that the store does not have or does not give. A block of a real executor
 * comes from that one. Thread-safe.
 */
public final class BlobBlockClient extends BlockStoreClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlobBlockClient.class);

    /** Requests to the store of an executor at a time. */
    private static final int READERS = 16;

    /** Threads that verify bytes, while readers wait. */
    private static final int CHECKS = 2;

    private final DirectoryClient directory;
    private final OwnFiles ownFiles;
    private final StoredBlobs blobs;
    private final ShuffleWindows windows;
    private final ExecutorMembers members;
    private final Time.Workers readers;
    private final Time.Workers checks;
    private final UploadWatch uploads;
    private final LongAdder acrossNatively = new LongAdder();
    private final LongAdder across = new LongAdder();
    private final TransportConf transport;

    /** The outputs on the executor's own disk. */
    public interface OwnFiles {
        /** Whether the output of an attempt is there. */
        boolean has(int shuffle, long attempt);

        /** Whether it is there, and will be for some time: its disk has room. */
        boolean keeps(int shuffle, long attempt);
    }

    /**
     * How the client reads stored blobs.
     *
     * @param timeout how long a read may take
     * @param uploadWait how long it waits for an upload in another zone
     * @param windows the parts that the store's caches load
     * @param members the executors that share their caches
     */
    public record Reading(
            BlobStore store, Duration timeout, Duration uploadWait, ShuffleWindows windows, ExecutorMembers members) {}

    /** A client of an executor. */
    public BlobBlockClient(Reading reading, DirectoryClient directory, OwnFiles ownFiles, Time time) {
        this.directory = directory;
        this.ownFiles = ownFiles;
        checks = time.workers("blobshuffle-spark-check", CHECKS);
        blobs = new StoredBlobs(reading.store, reading.timeout, checks);
        windows = reading.windows;
        members = reading.members;
        readers = time.blockingWorkers("blobshuffle-spark-read", READERS);
        uploads = new UploadWatch(directory, reading.uploadWait, readers, time);
        transport = TransportSettings.ofShuffles(SparkEnv.get().conf());
    }

    /** Where the blobs of a shuffle are, so that a task does not ask for each. */
    void learn(int shuffle, Collection<BlobId> wanted) {
        if (directory.learn(wanted)) {
            members.refresh(directory); // Those that wrote new blobs should be asked for them.
        }
        for (BlobId blob : wanted) {
            Optional<Whereabouts> known =
                    directory.known(blob).filter(where -> where.writer().isEmpty() || directory.isAway(where));
            known.ifPresent(where -> where.length().ifPresent(length -> windows.add(shuffle, blob, length)));
        }
    }

    /** Whether this executor wrote a blob and has its outputs, as far as is known here. */
    boolean isOnOwnDisk(BlobId blob) {
        return directory
                .known(blob)
                .flatMap(Whereabouts::writer)
                .filter(directory.self()::equals)
                .isPresent();
    }

    /** Whether the output of an attempt is on the own disk, and will be for some time. */
    boolean keepsFile(int shuffle, long attempt) {
        return ownFiles.keeps(shuffle, attempt);
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String executor,
            String[] blocks,
            BlockFetchingListener listener,
            DownloadFileManager files) {
        Optional<BlobId> blob = BlobLocation.parse(executor);
        if (blob.isEmpty()) {
            SparkEnv.get().blockManager().blockStoreClient().fetchBlocks(host, port, executor, blocks, listener, files);
            return;
        }
        Fetch fetch = new Fetch(blob.get(), List.of(blocks), listener, Optional.ofNullable(files));
        Optional<Whereabouts.Endpoint> near = directory.nearWriter(blob.get());
        if (near.isPresent()) {
            fetch.fromWriter(near.get());
        } else {
            readers.execute(fetch::fromAnywhere);
        }
    }

    /** The bytes that readers got, in blocks of maps that ran in another zone. */
    public Usage readingOf(Usage usage) {
        return usage.reading(acrossNatively.sum(), across.sum());
    }

    /** Spark's diagnosis asks an executor, and a blob is none. */
    @Override
    public Cause diagnoseCorruption(
            String host,
            int port,
            String executor,
            int shuffle,
            long map,
            int partition,
            long checksum,
            String algorithm) {
        return Cause.UNKNOWN_ISSUE;
    }

    @Override
    public void close() {
        readers.close();
        checks.close();
    }

    /** One request of the iterator. Each block is answered once. */
    private final class Fetch {
        private final BlobId blob;
        private final Set<String> unanswered;
        private final BlockFetchingListener listener;
        private final Optional<DownloadFileManager> files;

        /** Where the maps ran. */
        private volatile boolean isAway;

        Fetch(BlobId blob, List<String> blocks, BlockFetchingListener listener, Optional<DownloadFileManager> files) {
            this.blob = blob;
            unanswered = new LinkedHashSet<>(blocks);
            this.listener = listener;
            this.files = files;
        }

        private void succeed(String block, ManagedBuffer bytes) {
            boolean isFirst;
            synchronized (this) {
                isFirst = unanswered.remove(block);
            }
            if (isFirst) {
                acrossNatively.add(isAway ? bytes.size() : 0);
                listener.onBlockFetchSuccess(block, bytes);
            }
        }

        private void fail(Throwable failure) {
            for (String block : left()) {
                boolean isFirst;
                synchronized (this) {
                    isFirst = unanswered.remove(block);
                }
                if (isFirst) {
                    listener.onBlockFetchFailure(block, failure);
                }
            }
        }

        private synchronized List<String> left() {
            return new ArrayList<>(unanswered);
        }

        void fromAnywhere() {
            try {
                Whereabouts whereabouts = directory.locate(blob);
                isAway = directory.isAway(whereabouts);
                if (whereabouts.writer().isEmpty()) {
                    fromStore(whereabouts);
                } else if (!isAway) {
                    fromWriter(whereabouts.writer().get());
                } else if (whereabouts.length().isPresent()) {
                    fromStoreOrAway(whereabouts);
                } else {
                    CompletableFuture<Void> ignored = uploads.uploaded(blob).handle((now, failure) -> {
                        readers.execute(() -> fromStoreOrAway(now, failure));
                        return null;
                    });
                }
            } catch (Exception | Error e) {
                fail(e);
            }
        }

        private void fromStoreOrAway(@Nullable Whereabouts now, @Nullable Throwable failure) {
            try {
                if (now == null) {
                    fail(Objects.requireNonNull(failure));
                } else if (now.writer().isEmpty()) {
                    fromStore(now);
                } else {
                    fromStoreOrAway(now);
                }
            } catch (Exception | Error e) {
                fail(e);
            }
        }

        /** The writer lives, in another zone: what the store does not give, it does. */
        private void fromStoreOrAway(Whereabouts whereabouts) {
            if (whereabouts.length().isPresent() && uploads.isPatient()) {
                try {
                    readStored(whereabouts.length().getAsLong());
                    return;
                } catch (BlobMissingException | BlobCorruptException e) {
                    LOG.warn("The bytes of blob {} cross zones, because the store does not have them.", blob, e);
                } catch (StoreUnavailableException e) {
                    uploads.inVain();
                    LOG.warn("Shuffle bytes cross zones for a minute, because the store does not answer.", e);
                } catch (IOException e) {
                    LOG.debug("Blob {} comes from its writer in another zone.", blob, e);
                }
            }
            fromWriter(whereabouts.writer().orElseThrow());
        }

        /** The writer is gone, or has lost its outputs. */
        private void withoutWriter(Throwable failure) {
            if (failure instanceof OutOfMemoryError) {
                fail(failure); // Of this executor: Spark asks again later.
                return;
            }
            try {
                Whereabouts whereabouts = directory.refresh(blob);
                LOG.debug("Blob {} comes from the store, because its writer failed.", blob, failure);
                fromStore(whereabouts);
            } catch (Exception | Error e) {
                e.addSuppressed(failure);
                fail(e);
            }
        }

        private void fromStore(Whereabouts whereabouts) throws IOException {
            if (whereabouts.length().isEmpty()) {
                directory.lost(blob);
                throw new BlobMissingException("Cannot read shuffle blob " + blob
                        + ": its executor is lost, and the blob was not uploaded yet. Spark runs its maps again.");
            }
            try {
                readStored(whereabouts.length().getAsLong());
            } catch (BlobMissingException e) {
                directory.lost(blob);
                throw e;
            }
        }

        private void readStored(long length) throws IOException {
            List<BlockRange> ranges = left().stream().map(BlockRange::parse).toList();
            if (ranges.isEmpty()) {
                return;
            }
            OpenedBlob opened =
                    blobs.open(blob, length, windows.of(ranges.get(0).shuffle(), blob, length));
            StoreFetch fetch = new StoreFetch(blobs, opened, this::succeed);
            if (files.isPresent()) {
                fetch.toFiles(ranges, files.get(), transport);
            } else {
                fetch.toMemory(ranges);
            }
        }

        void fromWriter(Whereabouts.Endpoint writer) {
            if (writer.equals(directory.self())) {
                fromOwnDisk();
                return;
            }
            String[] blocks = left().toArray(String[]::new);
            if (blocks.length == 0) {
                return; // The store gave all of them.
            }
            SparkEnv.get()
                    .blockManager()
                    .blockStoreClient()
                    .fetchBlocks(
                            writer.host(),
                            writer.port(),
                            writer.executor(),
                            blocks,
                            new FromWriter(blocks.length),
                            files.orElse(null));
        }

        private void fromOwnDisk() {
            try {
                for (String block : left()) {
                    requireFile(BlockRange.parse(block));
                    succeed(
                            block,
                            SparkEnv.get()
                                    .shuffleManager()
                                    .shuffleBlockResolver()
                                    .getBlockData(BlockId$.MODULE$.apply(block), Option.empty()));
                }
            } catch (Exception e) { // Scala declares none, and throws those of files too.
                readers.execute(() -> withoutWriter(e));
            }
        }

        /** Spark opens the file later, and then it is too late to ask the store. */
        private void requireFile(BlockRange block) {
            if (!ownFiles.has(block.shuffle(), block.attempt())) {
                throw new BlobMissingException("Cannot read block " + block.name()
                        + ": its file is not on this disk any more. The store may have it.");
            }
        }

        /** Takes the writer's answers. What it does not have, the store may. */
        private final class FromWriter implements BlockFetchingListener {
            private int awaited;
            private Optional<Throwable> failure = Optional.empty();

            FromWriter(int blocks) {
                awaited = blocks;
            }

            @Override
            public void onBlockFetchSuccess(String block, ManagedBuffer bytes) {
                across.add(isAway ? bytes.size() : 0);
                succeed(block, bytes);
                end(Optional.empty());
            }

            @Override
            public void onBlockFetchFailure(String block, Throwable e) {
                end(Optional.of(e));
            }

            private void end(Optional<Throwable> e) {
                Optional<Throwable> first;
                synchronized (this) {
                    awaited--;
                    if (failure.isEmpty()) {
                        failure = e;
                    }
                    if (awaited > 0 || failure.isEmpty()) {
                        return;
                    }
                    first = failure;
                }
                readers.execute(() -> withoutWriter(first.orElseThrow()));
            }
        }
    }
}
