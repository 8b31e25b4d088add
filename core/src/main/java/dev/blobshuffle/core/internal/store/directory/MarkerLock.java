package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.store.StoreMarker;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a file store's markers. While its owner creates or replaces markers in several
 * directories, no other process of this version does. Owned by the thread that took it.
 */
final class MarkerLock implements AutoCloseable {
    /** Excludes other threads of this process; a file lock excludes only other processes. */
    private static final ReentrantLock THREADS = new ReentrantLock();

    private final FileChannel channel;

    private MarkerLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock. Blocks while another process has it.
     *
     * @param directory the directory of the lock file; the same one in each process with the same
     *     names of the store's directories
     */
    static MarkerLock take(Path directory) throws IOException {
        THREADS.lock();
        try {
            FileChannel channel = PrivateFiles.openOrCreate(directory.resolve(StoreMarker.NAME + ".lock"));
            try {
                var ignored = channel.lock();
                return new MarkerLock(channel);
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            THREADS.unlock();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            THREADS.unlock();
        }
    }
}
