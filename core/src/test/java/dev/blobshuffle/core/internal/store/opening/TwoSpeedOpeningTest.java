package dev.blobshuffle.core.internal.store.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.StoreHalves.Announcing;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TwoSpeedOpeningTest {
    private static final BlobId BLOB = new BlobId(1, 2, 3);

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    private String uri(String fast, String durable) {
        return "two-speed:fast=file://" + directory.resolve(fast) + ",durable=file://" + directory.resolve(durable);
    }

    private static void put(BlobStore store) {
        store.put(BLOB, BlobContent.of(new byte[] {1})).toCompletableFuture().join();
    }

    @Test
    void bothStoresAreOpenedInEitherOrderOfTheUri() {
        try (BlobStore store = BlobStores.open(uri("a", "b") + "," + directory.resolve("c"), time)) {
            assertThat(store.location()).isEqualTo(uri("a", "b") + "," + directory.resolve("c"));
            put(store);
        }
        String swapped = "two-speed:durable=file://" + directory.resolve("b") + "," + directory.resolve("c")
                + ",fast=file://" + directory.resolve("a");
        try (BlobStore store = BlobStores.open(swapped, time)) {
            store.get(BLOB, BlobRange.of(0, 1)).toCompletableFuture().join().close();
        }
        try (BlobStore fast = BlobStores.open("file://" + directory.resolve("a"), time)) {
            fast.get(BLOB, BlobRange.of(0, 1)).toCompletableFuture().join().close();
        }
    }

    @Test
    void theUriSaysWhenBlobsAreAnnounced() {
        assertThat(TwoSpeedUri.parse("two-speed:fast=memory://a,durable=memory://b")
                        .announcing())
                .isEqualTo(Announcing.EARLY);
        assertThat(TwoSpeedUri.parse("two-speed:announce=early,durable=memory://b,fast=memory://a"))
                .isEqualTo(new TwoSpeedUri("memory://a", "memory://b", Announcing.EARLY));
        String learning = uri("a", "b").replace("two-speed:", "two-speed:announce=durable,");
        try (BlobStore store = BlobStores.open(learning, time)) {
            assertThat(StoreHalves.of(store).orElseThrow().announcing()).isEqualTo(Announcing.DURABLE);
            put(store);
        }
    }

    @Test
    void theFastStoreIsCreatedForADurableOneThatMustExist() {
        BlobStores.open("file://" + directory.resolve("b"), time).close();
        StoreContext existing = StoreContext.unmetered(time).existing();
        try (BlobStore store = BlobStores.open(uri("a", "b"), existing)) {
            put(store);
        }
        assertThatThrownBy(() -> BlobStores.open(uri("a", "other"), existing))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("other");
    }

    @Test
    void aCommandCreatesNoFastStore() {
        BlobStores.open("file://" + directory.resolve("b"), time).close();
        StoreContext existing = StoreContext.unmetered(time).existing();
        try (BlobStore store = BlobStores.openUnchecked(uri("a", "b"), existing)) {
            put(store);
            assertThat(store.inspect().orElseThrow().findings())
                    .extracting(StoreFinding::subject)
                    .containsExactly("fast: open");
        }
        assertThat(directory.resolve("a")).doesNotExist();
    }

    @Test
    void anInstanceStartsWithoutTheFastStore() throws Exception {
        Files.writeString(directory.resolve("file"), "in the way");
        try (BlobStore store = BlobStores.open(uri("file/a", "b"), time)) {
            put(store);
        }
    }

    @Test
    void anInstanceDoesNotStartWithoutTheDurableStore() throws Exception {
        Files.writeString(directory.resolve("file"), "in the way");
        assertThatThrownBy(() -> BlobStores.open(uri("a", "file/b"), time))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aStoreThatIsNotOpenIsOpenedByALaterRequest() {
        AtomicBoolean isUp = new AtomicBoolean();
        MemoryBlobStore memory = new MemoryBlobStore("late", 1 << 20);
        StoreUnavailableException down = new StoreUnavailableException("Cannot open: the test says so.");
        try (BlobStore late = new LateBlobStore(
                "memory://late",
                () -> {
                    if (!isUp.get()) {
                        throw down;
                    }
                    return memory;
                },
                Duration.ofMillis(1),
                down,
                time)) {
            assertThat(late.owners().toCompletableFuture()).isCompletedExceptionally();
            isUp.set(true);
            await().until(() -> !late.owners().toCompletableFuture().isCompletedExceptionally());
            put(late);
            assertThat(memory.length(BLOB).toCompletableFuture().join()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "two-speed:fast=memory://a | it has no durable=",
                "two-speed:durable=memory://a | it has no fast=",
                "two-speed:memory://a | it names neither",
                "two-speed:announce=late,fast=memory://a,durable=memory://b | announce= is neither",
                "two-speed:announce=durable | announce= is neither",
                "two-speed:announce=durable,memory://a | it names neither",
                "two-speed:fast=memory://a,durable=memory://a | the same place",
                "two-speed:fast=file:///a,durable=file:///a/ | the same place",
                "two-speed:fast=two-speed:fast=memory://a,durable=memory://b,durable=memory://c | two speeds itself",
                "two-speed:fast=/a,durable=memory://b | The fast store of two speeds",
                "two-speed:fast=memory://a,durable=s3://user:secret@bucket | The durable store of two speeds",
                "two-speed:fast=s3://bucket--x-s3,durable=memory://b | dev.blobshuffle:blobshuffle-s3"
            })
    void aUriThatCannotWorkSaysWhy(String uri, String reason) {
        assertThatThrownBy(() -> BlobStores.open(uri, time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }

    @Test
    void oneStoreUnderTwoNamesIsRefused() throws Exception {
        BlobStores.open("file://" + directory.resolve("a"), time).close();
        Files.createSymbolicLink(directory.resolve("b"), directory.resolve("a"));
        assertThatThrownBy(() -> BlobStores.open(uri("a", "b"), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("under another name");
    }

    @Test
    void aPlaceForOneStoreRefusesTwoSpeeds() {
        assertThatThrownBy(() -> BlobStores.openNamed(uri("a", "b"), StoreContext.unmetered(time)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("a single store is needed here");
    }
}
