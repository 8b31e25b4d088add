package dev.blobshuffle.flightdaemon.internal.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import dev.blobshuffle.flightdaemon.internal.server.ArrowStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads footers of copies from a store whose first reads wait for each other. */
class FootersTest {
    private static final int MAPS = 40;
    private static final int AT_ONCE = 8;

    private final SystemTime time = new SystemTime();
    private final Time.Workers workers = time.workers("footers-test", 16);
    private final CountDownLatch meeting = new CountDownLatch(AT_ONCE);
    private final AtomicInteger reads = new AtomicInteger();
    private final LongAdder rows = new LongAdder();

    @TempDir
    private Path copied;

    @TempDir
    private Path empty;

    private CopyStore copies;
    private Catalog catalog;

    @BeforeEach
    void copy() throws IOException {
        ArrowStore store = new ArrowStore(copied);
        for (int map = 0; map < MAPS; map++) {
            store.write("s", map, 0, List.of(List.of(store.batch(800))));
        }
        Catalog.Limits limits = new Catalog.Limits(64 << 20, 0, OptionalLong.empty());
        new Catalog(Map.of("default", List.of(copied)), Map.of(), limits, time)
                .shuffle("default", "s")
                .commit(MAPS);
        copies = new CopyStore(meeting(BlobStores.openNamed("file://" + copied, StoreContext.unmetered(time))), time);
        catalog = new Catalog(Map.of("default", List.of(empty)), Map.of("default", copies), limits, time);
    }

    @AfterEach
    void close() {
        copies.close();
        workers.close();
        time.close();
    }

    /** A store whose reads of blobs wait until eight of them have begun. */
    private NamedBlobs meeting(NamedBlobs files) {
        return (NamedBlobs) Proxy.newProxyInstance(
                NamedBlobs.class.getClassLoader(), new Class<?>[] {NamedBlobs.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("read")
                            && arguments[0].toString().endsWith(".blob")) {
                        reads.incrementAndGet();
                        meeting.countDown();
                        assertThat(meeting.await(60, TimeUnit.SECONDS)).isTrue();
                    }
                    try {
                        return method.invoke(files, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private List<StoredBlob> blobs() {
        return catalog.read("default", "s", (Shuffle shuffle) -> shuffle.chosen(new MapSet.Committed(MAPS)));
    }

    private void read(Executor helpers) {
        new Footers(helpers).read(blobs(), footer -> rows.add(footer.rows()));
    }

    /** The blobs are so short that the request for a footer returns the whole blob. */
    @Test
    void eightAreReadAtOnceAndEachOnce() {
        read(workers);
        assertThat(rows.sum()).isEqualTo(MAPS);
        assertThat(reads.get()).isEqualTo(MAPS);

        read(workers);
        assertThat(rows.sum()).isEqualTo(2 * MAPS);
        assertThat(reads.get()).isEqualTo(MAPS);
    }

    /** The helpers do not run when all threads wait for a store, or have ended. */
    @Test
    void helpersThatNeverRunAreNotAwaited() {
        for (int i = 0; i < AT_ONCE; i++) {
            meeting.countDown();
        }
        read(task -> {});
        assertThat(rows.sum()).isEqualTo(MAPS);
    }

    @Test
    void aLostCopyFailsTheCall() throws IOException {
        List<StoredBlob> blobs = blobs();
        Files.delete(copied.resolve("shuffles")
                .resolve("s")
                .resolve(blobs.get(17).name().file()));

        assertThatThrownBy(() -> new Footers(workers).read(blobs, footer -> rows.add(footer.rows())))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining(blobs.get(17).name().file());
    }
}
