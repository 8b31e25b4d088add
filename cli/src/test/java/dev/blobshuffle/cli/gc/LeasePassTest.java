package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code gc --leases}. */
class LeasePassTest {
    @TempDir
    private Path directory;

    private final StringWriter text = new StringWriter();

    private boolean says(String what) {
        return text.toString().contains(what);
    }

    @Test
    void blobsGoWithTheLeaseOfTheirApplication() throws Exception {
        try (SystemTime time = new SystemTime();
                BlobStore store =
                        BlobStores.openUnchecked(directory.toUri() + "?fsync=none", StoreContext.unmetered(time))) {
            LeaseRegister register = new LeaseRegister(store, time);
            int gone = register.take(Duration.ofMillis(200), "spark gone");
            int living = register.take(Duration.ofDays(1), "spark living");
            for (int owner : new int[] {gone, living}) {
                store.put(new BlobId(owner, 29_000_000, 7, 0), BlobContent.of(new byte[] {1}))
                        .toCompletableFuture()
                        .join();
            }
            LeasePass pass = new LeasePass(store, SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time), time);
            PrintWriter out = new PrintWriter(text);

            pass.look(out);
            assertThat(text.toString()).contains("has 2 leases", "of spark gone: renewed at", "Nothing was changed");
            assertThat(store.generations(gone).toCompletableFuture().join()).hasSize(1);

            await().atMost(Duration.ofMinutes(2)).until(() -> {
                pass.run(out);
                return says("Deleted 1 blobs of 1 applications");
            });
            assertThat(store.list(gone, 29_000_000).toCompletableFuture().join())
                    .isEmpty();
            assertThat(store.list(living, 29_000_000).toCompletableFuture().join())
                    .hasSize(1);
            assertThat(register.read().leases()).containsOnlyKeys(living);
        }
    }

    @Test
    void optionsThatDoNotApplyAreRefused() {
        for (String option : new String[] {"--forget=0123ab", "--floor=1h", "--deleted-topic=t", "--hold", "--json"}) {
            CommandLine command = new CommandLine(new GcCommand()).setErr(new PrintWriter(text));
            assertThat(command.execute("--store", directory.toUri().toString(), "--leases", option))
                    .isEqualTo(2);
            assertThat(text.toString())
                    .contains(
                            "--leases goes with --only-cluster, --rate, --most and --execute only",
                            "Leave out " + option.split("=")[0]);
        }
    }
}
