package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.Main;
import dev.blobshuffle.core.internal.claim.JobOwner;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gc --flink}. */
class JobPassTest {
    private static final long MINUTE = 29_000_000;

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private final StringWriter text = new StringWriter();
    private Path named;
    private BlobStore store;

    @BeforeEach
    void open() {
        named = directory;
        store = BlobStores.openUnchecked(
                directory.resolve("flink").toUri() + "?fsync=none", StoreContext.unmetered(time));
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private int job(String name, int blobs) {
        int owner = new JobOwner(store.registers().orElseThrow(), name, time).findOrMake();
        for (int blob = 0; blob < blobs; blob++) {
            store.put(new BlobId(owner, MINUTE + 7L * blob, 7, blob), BlobContent.of(new byte[] {1}))
                    .toCompletableFuture()
                    .join();
        }
        return owner;
    }

    private int blobs(int owner) {
        return store.generations(owner).toCompletableFuture().join().stream()
                .mapToInt(minute ->
                        store.list(owner, minute).toCompletableFuture().join().size())
                .sum();
    }

    private int gc(String... options) {
        text.getBuffer().setLength(0);
        PrintWriter writer = new PrintWriter(text, true);
        return Main.commandLine()
                .setOut(writer)
                .setErr(writer)
                .execute(Stream.concat(Stream.of("gc", "--flink", "--store", "file://" + named), Stream.of(options))
                        .toArray(String[]::new));
    }

    @Test
    void onlyTheBlobsOfTheForgottenJobGo() {
        int gone = job("0123-ab", 30);
        int other = job("0123-ac", 2);

        assertThat(gc()).isZero();
        assertThat(text.toString())
                .contains(
                        "has blobs of 2 jobs",
                        "Owner " + BlobId.hex(gone) + ", job 0123-ab: 30 blobs, the newest of ",
                        "Owner " + BlobId.hex(other) + ", job 0123-ac: 2 blobs");

        assertThat(gc("--forget", BlobId.hex(gone), "--floor", "0s")).isZero();
        assertThat(text.toString()).contains("30 blobs", "Nothing was changed");
        assertThat(blobs(gone)).isEqualTo(30);

        assertThat(gc("--forget", BlobId.hex(gone), "--floor", "0s", "--execute"))
                .isZero();
        assertThat(text.toString()).contains("Deleted 30 blobs.");
        assertThat(blobs(gone)).isZero();
        assertThat(blobs(other)).isEqualTo(2);
    }

    /** By the store's clock, for the minute in a blob's name is that of its writer. */
    @Test
    void aJobWithYoungBlobsIsRefused() {
        int running = job("0123-ab", 3);

        assertThat(gc("--forget", BlobId.hex(running))).isNotZero();
        assertThat(gc("--forget", BlobId.hex(running), "--execute")).isNotZero();
        assertThat(text.toString())
                .contains("Cannot forget owner " + BlobId.hex(running), "The job may still run", "--floor");
        assertThat(blobs(running)).isEqualTo(3);
    }

    @Test
    void optionsThatDoNotApplyAreRefused() {
        for (String option : new String[] {
            "--leases", "--hold", "--deleted-topic=t", "--writers-stopped", "--json", "--most=5", "--retention=2h"
        }) {
            assertThat(gc(option)).isEqualTo(2);
            assertThat(text.toString())
                    .contains(
                            "--flink goes with --forget, --floor, --rate and --execute only",
                            "Leave out " + option.split("=")[0]);
        }
    }

    @Test
    void aStoreWithoutJobsIsNamed() {
        named = directory.resolve("absent");
        assertThat(gc()).isNotZero();
        assertThat(text.toString()).contains("absent");
    }
}
