package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.copy.Copier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks what happens to running copies when the daemon is closed. */
class CopierCloseTest {
    private static final Catalog.Limits LIMITS = new Catalog.Limits(1 << 20, 0, OptionalLong.empty());

    @TempDir
    private Path directory;

    /** A store whose put reads the same content repeatedly, until the content fails. */
    private static final class EndlessStore implements NamedBlobs {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch closeReturned = new CountDownLatch(1);
        final AtomicBoolean isEnded = new AtomicBoolean();

        @Override
        public void put(String name, BlobContent content) {
            started.countDown();
            try {
                while (content.buffers().stream().allMatch(ByteBuffer::hasRemaining)) {
                    Thread.onSpinWait();
                }
            } catch (ClosedException e) {
                awaitClose(); // A close that does not wait returns during this time.
                throw e;
            } finally {
                isEnded.set(true);
            }
        }

        private void awaitClose() {
            try {
                boolean ignored = closeReturned.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void read(String name, long offset, ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(Collection<String> names) {}

        @Override
        public List<Entry> list(String directory) {
            return List.of();
        }

        @Override
        public String location() {
            return "an endless store";
        }

        @Override
        public void close() {
            closeReturned.countDown();
        }
    }

    @Test
    void closeAbandonsCopiesAndWaitsForTheirEnd() throws IOException, InterruptedException {
        ArrowStore files = new ArrowStore(directory);
        files.write("s", 0, 0, List.of(List.of(files.batch(800))));
        EndlessStore store = new EndlessStore();
        try (SystemTime time = new SystemTime()) {
            CopyStore copies = new CopyStore(store, time);
            Catalog catalog =
                    new Catalog(Map.of("default", List.of(directory)), Map.of("default", copies), LIMITS, time);
            catalog.shuffle("default", "s").commit(1);
            Copier copier = new Copier(catalog, time);
            copier.copy("default", "s");
            assertThat(store.started.await(2, TimeUnit.MINUTES)).isTrue();

            copier.close();
            boolean isEnded = store.isEnded.get();
            store.closeReturned.countDown();

            assertThat(isEnded).isTrue();
            assertThat(copier.counts().blobs()).isZero();
            assertThat(copier.counts().pendingBlobs()).isEqualTo(1);
        }
    }
}
