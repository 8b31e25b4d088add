package dev.blobshuffle.core.internal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.StoreFingerprint;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of an earlier version, whose markers name the store only. */
class EarlierMarkersTest {
    /** The pattern by which earlier versions read a marker. */
    private static final Pattern EARLIER = Pattern.compile("BlobShuffle store ([0-9a-f]{16})\\n.*", Pattern.DOTALL);

    private static final String STORE = "0123456789abcdef";

    @TempDir
    private Path root;

    private final SystemTime time = new SystemTime();
    private final List<FileBlobStore> opened = new ArrayList<>();
    private Path one;
    private Path two;

    @BeforeEach
    void nameDirectories() {
        one = root.resolve("one");
        two = root.resolve("two");
    }

    @AfterEach
    void end() {
        opened.forEach(FileBlobStore::close);
        time.close();
    }

    private FileBlobStore open(WhenAbsent whenAbsent, Path... directories) {
        FileBlobStore store = FileBlobStore.open(List.of(directories), Fsync.NONE, time, whenAbsent);
        opened.add(store);
        return store;
    }

    private FileBlobStore open(Path... directories) {
        return open(WhenAbsent.FAIL, directories);
    }

    /** Creates a store like an earlier version, with a register in the first directory. */
    private void earlier(int blobs, Path... directories) throws IOException {
        for (Path directory : directories) {
            Files.createDirectories(directory.resolve("staging"));
            Files.writeString(directory.resolve(StoreMarker.NAME), StoreMarker.content(STORE));
        }
        Files.writeString(directories[0].resolve("blobshuffle-register-claims.1"), "production");
        for (int i = 0; i < blobs; i++) {
            BlobId id = new BlobId(29_700_000 + i % 3, 77, i);
            Path blob = directories[FileBlobStore.place(id, directories.length)].resolve(BlobKey.of(id));
            Files.createDirectories(blob.getParent());
            Files.write(blob, new byte[10]);
        }
    }

    private static boolean isUpgraded(Path directory) throws IOException {
        return DirectoryMarker.read(directory).orElseThrow().place().isPresent();
    }

    private static Optional<String> claims(FileBlobStore store) {
        return store.registers()
                .orElseThrow()
                .read("claims")
                .toCompletableFuture()
                .join()
                .map(Register::text);
    }

    @Test
    void directoriesWhoseBlobsProveThatTheyAreAllAreUpgradedInAnyOrder() throws Exception {
        earlier(120, one, two);
        FileBlobStore store = open(two, one);
        assertThat(claims(store)).contains("production");
        assertThat(store.fingerprint()).isEqualTo(StoreFingerprint.of(STORE));
        StoreLayout layout =
                DirectoryMarker.read(one).orElseThrow().place().orElseThrow().layout();
        assertThat(layout.first())
                .isEqualTo(DirectoryMarker.read(one)
                        .orElseThrow()
                        .place()
                        .orElseThrow()
                        .directory());
        assertThat(DirectoryMarker.read(two).orElseThrow().place().orElseThrow().layout())
                .isEqualTo(layout);
        assertThatThrownBy(() -> open(two)).isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> open(one)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void anEarlierVersionReadsTheUpgradedMarker() throws Exception {
        earlier(60, one);
        open(one);
        assertThat(isUpgraded(one)).isTrue();
        String marker = Files.readString(one.resolve(StoreMarker.NAME));
        assertThat(marker).hasSizeLessThan(1024).matches(EARLIER);
        assertThat(StoreMarker.id(marker, "one")).isEqualTo(STORE);
    }

    @Test
    void oneOfSeveralDirectoriesIsRefusedByItsBlobs() throws Exception {
        Path three = root.resolve("three");
        earlier(180, one, two, three);
        for (Path alone : List.of(one, two, three)) {
            assertThatThrownBy(() -> open(alone))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(alone + ": its blobs are those of one of 3 directories, and 1 is named")
                    .hasMessageContaining("Name all directories");
            assertThatThrownBy(() -> open(WhenAbsent.CREATE, alone)).isInstanceOf(InvalidSettingsException.class);
        }
        assertThatThrownBy(() -> open(one, three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("2 are named");
        assertThat(isUpgraded(one) || isUpgraded(two) || isUpgraded(three)).isFalse();
    }

    @Test
    void aDirectoryWithoutClaimsIsRefusedUntilAnOperatorSaysThatItIsAll() throws Exception {
        earlier(0, one, two);
        assertThatThrownBy(() -> open(two))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("holds claims")
                .hasMessageContaining("doctor --store URI --create --execute");
        Path alone = root.resolve("alone");
        earlier(3, alone);
        Files.delete(alone.resolve("blobshuffle-register-claims.1"));
        for (WhenAbsent whenAbsent : List.of(WhenAbsent.FAIL, WhenAbsent.CREATE)) {
            assertThatThrownBy(() -> open(whenAbsent, alone)).isInstanceOf(InvalidSettingsException.class);
        }
        open(WhenAbsent.CREATE_OR_EXTEND, alone);
        assertThat(isUpgraded(alone)).isTrue();
        open(alone);
    }

    @Test
    void directoriesThatProveNothingStayAsTheyAre() throws Exception {
        earlier(5, one, two);
        FileBlobStore store = open(two, one);
        assertThat(claims(store)).contains("production");
        assertThat(isUpgraded(one) || isUpgraded(two)).isFalse();
        assertThat(store.list(0, 29_700_000).toCompletableFuture().join()).hasSize(2);
        FileBlobStore first = open(one); // It sees the claims, so it deletes no blobs of others.
        assertThat(claims(first)).contains("production");

        open(WhenAbsent.CREATE, one, two);
        assertThat(isUpgraded(one) || isUpgraded(two)).isFalse();
        open(WhenAbsent.CREATE_OR_EXTEND, one, two);
        assertThat(isUpgraded(one) && isUpgraded(two)).isTrue();
        assertThat(claims(store)).contains("production");
        assertThat(store.list(0, 29_700_000).toCompletableFuture().join()).hasSize(2);
        assertThatThrownBy(() -> first.list(0, 29_700_000).toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void claimsInTwoDirectoriesAreRefused() throws Exception {
        earlier(120, one, two);
        Files.writeString(two.resolve("blobshuffle-register-claims.4"), "staging");
        for (WhenAbsent whenAbsent : WhenAbsent.values()) {
            assertThatThrownBy(() -> open(whenAbsent, one, two))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(one + "," + two)
                    .hasMessageContaining("each of these directories holds claims");
        }
    }

    @Test
    void aDirectoryThatIsNotThereIsLeftOutAndItsClaimsDoNotBeginAgain() throws Exception {
        earlier(0, one, two);
        Path away = Files.move(one, root.resolve("away"));
        FileBlobStore store = open(one, two);
        assertThatThrownBy(() -> claims(store)).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> open(WhenAbsent.CREATE_OR_EXTEND, one, two))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("1 of the named directories have none");
        Files.delete(one);
        Files.move(away, one);
        assertThat(claims(store)).contains("production");
    }

    @Test
    void anUpgradeThatWasInterruptedIsCompleted() throws Exception {
        earlier(120, one, two);
        open(one, two).close();
        Files.writeString(two.resolve(StoreMarker.NAME), StoreMarker.content(STORE));
        assertThat(claims(open(two, one))).contains("production");
        assertThat(isUpgraded(two)).isTrue();
        assertThatThrownBy(() -> open(two)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void aDirectoryInWhichNoStoreWasOpenedIsUpgraded() throws Exception {
        Files.createDirectory(one);
        Files.writeString(one.resolve(StoreMarker.NAME), StoreMarker.content(STORE));
        open(one);
        assertThat(isUpgraded(one)).isTrue();
    }
}
