package dev.blobshuffle.core.internal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directories of a file store, and what happens if others are named, or if directories
 * disappear and return.
 */
class FileStoreDirectoriesTest {
    @TempDir
    private Path root;

    private final SystemTime time = new SystemTime();
    private final List<FileBlobStore> opened = new ArrayList<>();
    private Path one;
    private Path two;
    private Path three;

    @BeforeEach
    void nameDirectories() {
        one = root.resolve("one");
        two = root.resolve("two");
        three = root.resolve("three");
    }

    @AfterEach
    void end() {
        opened.forEach(FileBlobStore::close);
        time.close();
    }

    private FileBlobStore create(Path... directories) {
        return open(WhenAbsent.CREATE, directories);
    }

    private FileBlobStore extend(Path... directories) {
        return open(WhenAbsent.CREATE_OR_EXTEND, directories);
    }

    private FileBlobStore open(Path... directories) {
        return open(WhenAbsent.FAIL, directories);
    }

    private FileBlobStore open(WhenAbsent whenAbsent, Path... directories) {
        FileBlobStore store = FileBlobStore.open(List.of(directories), Fsync.NONE, time, whenAbsent);
        opened.add(store);
        return store;
    }

    /** It would be another store if it were created again. */
    @Test
    void aMarkerThatCannotBeReadIsNotAbsent() throws Exception {
        Files.createDirectories(one.resolve(StoreMarker.NAME));
        assertThatThrownBy(() -> open(one))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("its marker cannot be read (java.io.IOException: Is a directory)")
                .hasMessageNotContaining("--create");
    }

    @Test
    void aDirectoryThatCannotBeUsedSaysWhy() throws Exception {
        create(one);
        Files.move(one.resolve(BlobDirectory.STAGING), root.resolve("aside"));
        Files.createFile(one.resolve(BlobDirectory.STAGING));
        assertThatThrownBy(() -> open(one))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no directory can be used (java.nio.file.")
                .hasMessageContaining(one + "/staging");
    }

    private static String marker(Path directory) throws IOException {
        return Files.readString(directory.resolve(StoreMarker.NAME));
    }

    private static DirectoryMarker.Place place(Path directory) throws IOException {
        return DirectoryMarker.read(directory).orElseThrow().place().orElseThrow();
    }

    private static BlobId id(long sequence) {
        return new BlobId(29_700_000, 77, sequence);
    }

    private static void put(FileBlobStore store, long from, long end) throws Exception {
        for (long sequence = from; sequence < end; sequence++) {
            join(store.put(id(sequence), BlobContent.of(new byte[10])));
        }
    }

    private static void read(FileBlobStore store, long sequence) throws Exception {
        join(store.get(id(sequence), BlobRange.of(0, 10))).close();
    }

    private static Optional<String> register(FileBlobStore store) throws Exception {
        return join(store.registers().orElseThrow().read("claims")).map(Register::text);
    }

    private static boolean start(FileBlobStore store, String text) throws Exception {
        return join(store.registers().orElseThrow().replace("claims", Optional.empty(), text));
    }

    private static <T> T join(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static long blobsIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".blob")).count();
        }
    }

    /** Simulates an unmounted disk, whose mount point exists and is empty. */
    private Path unmount(Path directory) throws IOException {
        Path away = root.resolve("away-" + directory.getFileName());
        Files.move(directory, away);
        Files.createDirectory(directory);
        return away;
    }

    private static void mount(Path away, Path directory) throws IOException {
        Files.delete(directory);
        Files.move(away, directory);
    }

    private static DirectoryRemoval removal(String uri, String directory) {
        return new DirectoryRemoval(
                uri,
                directory,
                ClaimText.REGISTER,
                ClaimText.NONE.contested("lost").text());
    }

    @Test
    void someOfTheDirectoriesAreNotTheStore() throws Exception {
        try (FileBlobStore store = create(one, two)) {
            assertThat(start(store, "production")).isTrue();
            put(store, 0, 20);
        }
        for (Path alone : List.of(one, two)) {
            for (WhenAbsent whenAbsent : WhenAbsent.values()) {
                assertThatThrownBy(() -> open(whenAbsent, alone))
                        .isInstanceOf(InvalidSettingsException.class)
                        .isNotInstanceOf(StoreAbsentException.class)
                        .hasMessageContaining(place(alone).layout().store() + " has 2 directories")
                        .hasMessageContaining("the URI names 1")
                        .hasMessageContaining(alone + " is " + place(alone).directory())
                        .hasMessageContaining("Name all directories")
                        .hasMessageContaining("--remove-directory "
                                + place(alone.equals(one) ? two : one).directory());
            }
        }
        assertThat(register(open(one, two))).contains("production");
    }

    @Test
    void anotherDirectoryDoesNotStandInForOneOfTheStore() throws Exception {
        create(one, two).close();
        create(three).close();
        Path empty = Files.createDirectory(root.resolve("empty"));
        assertThatThrownBy(() -> create(one, three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(
                        one + " belongs to store " + place(one).layout().store())
                .hasMessageContaining(
                        three + " to store " + place(three).layout().store());
        for (WhenAbsent whenAbsent : WhenAbsent.values()) {
            assertThatThrownBy(() -> open(whenAbsent, two, empty, root.resolve("more")))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(empty + " has no marker")
                    .hasMessageContaining("Mount the directories");
        }
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void theOrderOfThePathsDoesNotMatter() throws Exception {
        FileBlobStore store = create(one, two);
        FileBlobStore reversed = open(two, one);
        assertThat(start(store, "production")).isTrue();
        assertThat(register(reversed)).contains("production");
        assertThat(start(reversed, "staging")).isFalse();
        assertThat(reversed.fingerprint()).isEqualTo(store.fingerprint());
        put(store, 0, 20);
        put(reversed, 20, 40);
        for (int i = 0; i < 40; i++) {
            read(store, i);
            read(reversed, i);
        }
        assertThat(join(reversed.list(0, 29_700_000))).hasSize(40);
    }

    @Test
    void directoriesMayBeMountedElsewhere() throws Exception {
        try (FileBlobStore store = create(one, two)) {
            assertThat(start(store, "claims of all")).isTrue();
            put(store, 0, 20);
        }
        Path left = Files.move(one, root.resolve("left"));
        Path right = Files.move(two, root.resolve("right"));
        FileBlobStore store = open(right, left);
        assertThat(register(store)).contains("claims of all");
        assertThat(join(store.list(0, 29_700_000))).hasSize(20);
    }

    @Test
    void oneDirectoryUnderTwoNamesIsRefused() throws Exception {
        Files.createDirectory(one);
        Path link = Files.createSymbolicLink(root.resolve("link"), one);
        for (Path again : List.of(one, link, root.resolve("other/../one"))) {
            assertThatThrownBy(() -> create(one, again))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("two names of one directory")
                    .hasMessageContaining("Name each directory once");
        }
        assertThat(one).isEmptyDirectory();
    }

    @Test
    void aCopyOfADirectoryIsNoOtherDirectory() throws Exception {
        create(one, two).close();
        Files.createDirectory(three);
        Files.copy(two.resolve(StoreMarker.NAME), three.resolve(StoreMarker.NAME));
        for (WhenAbsent whenAbsent : WhenAbsent.values()) {
            assertThatThrownBy(() -> open(whenAbsent, two, three))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(two + " and " + three + " are both directory "
                            + place(two).directory());
        }
    }

    @Test
    void aNewStoreNeedsAllItsDirectories() throws Exception {
        Path file = Files.createFile(root.resolve("file"));
        assertThatThrownBy(() -> create(one, file.resolve("below")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("a new one needs all its directories (java.nio.file.")
                .hasMessageContaining(file.toString());
        assertThat(one.resolve(StoreMarker.NAME)).doesNotExist();
        assertThatThrownBy(() -> open(one, two)).isInstanceOf(StoreAbsentException.class);
    }

    @Test
    void instancesThatCreateAStoreAtOnceAgree() throws Exception {
        List<List<Path>> orders = List.of(List.of(one, two, three), List.of(three, two, one), List.of(two, three, one));
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Callable<FileBlobStore>> openings = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                List<Path> order = orders.get(i % 3);
                openings.add(() -> FileBlobStore.open(order, Fsync.NONE, time, WhenAbsent.CREATE));
            }
            for (Future<FileBlobStore> opening : threads.invokeAll(openings)) {
                opened.add(opening.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(opened)
                .extracting(FileBlobStore::fingerprint)
                .containsOnly(opened.get(0).fingerprint());
        assertThat(Stream.of(place(one), place(two), place(three))
                        .map(DirectoryMarker.Place::layout)
                        .collect(Collectors.toSet()))
                .hasSize(1);
    }

    @Test
    void aCreationThatWasInterruptedIsCompleted() throws Exception {
        create(one, two).close();
        Files.delete(two.resolve(StoreMarker.NAME));
        create(one, two).close();
        assertThat(place(two).layout()).isEqualTo(place(one).layout());
    }

    @Test
    void aStoreInUseIsNotCompleted() throws Exception {
        assertThat(start(create(one, two), "used")).isTrue();
        Path away = unmount(two);
        create(one, two);
        assertThat(two)
                .as("the mount point of a directory that is somewhere else")
                .isEmptyDirectory();
        mount(away, two);
    }

    @Test
    void anAdditionThatFailsChangesNothing() throws Exception {
        create(one, two).close();
        Files.createDirectories(three.resolve(StoreMarker.NAME));
        assertThatThrownBy(() -> extend(one, two, three))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("markers cannot be written");
        open(one, two);
    }

    @Test
    void aDirectoryThatWasRemovedIsNotWrittenTo() throws Exception {
        FileBlobStore old = create(one, two);
        removal(uri(one), place(two).directory()).execute();
        assertThatThrownBy(() -> join(old.list(0, 29_700_000))).isInstanceOf(StoreUnavailableException.class);
        put(old, 0, 20);
        assertThat(blobsIn(one)).isEqualTo(20);
        assertThat(blobsIn(two)).isZero();
    }

    @Test
    void theRegistersOfADirectoryThatIsNotThereDoNotBeginAgain() throws Exception {
        FileBlobStore before = create(one, two);
        assertThat(start(before, "production")).isTrue();
        put(before, 0, 20);
        Path away = unmount(one);
        FileBlobStore after = open(two, one);
        for (FileBlobStore store : List.of(before, after)) {
            assertThatThrownBy(() -> register(store))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(place(away).directory())
                    .hasMessageContaining("holds the registers");
            assertThatThrownBy(() -> start(store, "staging")).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> join(store.list(0, 29_700_000))).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> join(store.delete(List.of(id(1))))).isInstanceOf(StoreUnavailableException.class);
            put(store, 20, 40);
        }
        assertThat(blobsIn(two)).isGreaterThanOrEqualTo(20);
        mount(away, one);
        for (FileBlobStore store : List.of(before, after)) {
            assertThat(register(store)).contains("production");
            assertThat(join(store.list(0, 29_700_000))).hasSize(40);
        }
    }

    @Test
    void aDirectoryThatComesBackAsAnotherOneIsNotUsed() throws Exception {
        FileBlobStore store = create(one, two);
        put(store, 0, 20);
        create(three).close();
        Path away = unmount(two);
        mount(three, two);
        assertThatThrownBy(() -> join(store.list(0, 29_700_000)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(
                        two + " belongs to store " + place(two).layout().store());
        put(store, 20, 40);
        assertThat(blobsIn(two)).isZero();
        int unavailable = 0;
        for (int i = 0; i < 20; i++) {
            try {
                read(store, i);
            } catch (StoreUnavailableException e) {
                unavailable++;
            }
        }
        assertThat(unavailable).isPositive();
        Files.move(two, three);
        Files.move(away, two);
        assertThat(join(store.list(0, 29_700_000))).hasSize(40);
    }

    @Test
    void aDirectoryIsAddedByAnOperatorOnly() throws Exception {
        create(one, two).close();
        assertThatThrownBy(() -> open(one, two, three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("has 2 directories")
                .hasMessageContaining("the URI names 3")
                .hasMessageContaining(three + " has no marker")
                .hasMessageContaining("doctor --store URI --create --execute");
        assertThat(three).doesNotExist();
        assertThatThrownBy(() -> create(one, two, three)) // An instance that may create its store.
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("the URI names 3");
        assertThat(place(one).layout().size()).isEqualTo(2);
        Path away = unmount(two);
        assertThatThrownBy(() -> extend(one, two, three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Mount the directories that are not there");
        mount(away, two);

        FileBlobStore store = extend(three, one, two);
        assertThat(place(one).layout())
                .isEqualTo(place(three).layout())
                .isEqualTo(place(two).layout());
        assertThat(place(one).layout().size()).isEqualTo(3);
        put(store, 0, 60);
        assertThat(blobsIn(three)).isPositive();
        assertThatThrownBy(() -> open(one, two)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void anInstanceWithTheOldListLosesAndDeletesNothing() throws Exception {
        FileBlobStore old = create(one, two);
        assertThat(start(old, "production")).isTrue();
        put(old, 0, 30);
        FileBlobStore renewed = extend(one, two, three);
        assertThat(register(renewed)).contains("production");
        put(renewed, 30, 90);
        put(old, 90, 120);
        assertThat(blobsIn(three)).isPositive();
        assertThat(register(old)).contains("production");

        int unavailable = 0;
        for (int i = 0; i < 120; i++) {
            read(renewed, i);
            try {
                read(old, i);
            } catch (StoreUnavailableException e) { // Never BlobMissingException, which would end the reader.
                assertThat(e).hasMessageContaining("were changed while it was open: it has 3 now");
                unavailable++;
            }
        }
        assertThat(unavailable).isEqualTo((int) blobsIn(three));
        for (CompletionStage<?> whole :
                List.of(old.list(0, 29_700_000), old.generations(0), old.delete(List.of(id(1))))) {
            assertThatThrownBy(() -> join(whole))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("new URI");
        }
        assertThat(join(renewed.list(0, 29_700_000))).hasSize(120);
    }

    @Test
    void anAdditionThatWasInterruptedIsRepeated() throws Exception {
        create(one, two).close();
        String former = marker(one);
        String formerOfTwo = marker(two);
        extend(one, two, three).close();
        Files.writeString(one.resolve(StoreMarker.NAME), former);
        Files.writeString(two.resolve(StoreMarker.NAME), formerOfTwo);
        open(one, two); // The new directory is marked first, so nothing has changed.
        assertThatThrownBy(() -> open(one, two, three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("interrupted")
                .hasMessageContaining("--create --execute");
        extend(one, two, three).close();
        open(one, two, three);
        assertThat(place(one).layout().size()).isEqualTo(3);
    }

    private String uri(Path... directories) {
        return "file://" + Stream.of(directories).map(Path::toString).collect(Collectors.joining(","));
    }

    /** The procedure of operations.md. */
    @Test
    void aDirectoryIsRemovedWithoutLoss() throws Exception {
        FileBlobStore old = create(one, two);
        assertThat(start(old, "production")).isTrue();
        put(old, 0, 40);
        String removed = place(two).directory();
        Path away = Files.move(two.resolve(StoreMarker.NAME), root.resolve("moved-aside"));
        put(old, 40, 80); // No instance writes to it any more.
        long left = blobsIn(two);
        copyBlobs(two, one);
        DirectoryRemoval removal = removal(uri(one), removed);
        assertThat(removal.description()).contains("claims are in " + one);
        assertThatThrownBy(() -> open(one)).isInstanceOf(InvalidSettingsException.class);
        removal.execute();

        FileBlobStore renewed = open(one);
        assertThat(register(renewed)).contains("production");
        assertThat(join(renewed.list(0, 29_700_000))).hasSize(80);
        put(old, 80, 100);
        assertThat(blobsIn(two)).isEqualTo(left);
        for (int i = 0; i < 100; i++) {
            read(renewed, i);
            read(old, i);
        }
        assertThatThrownBy(() -> join(old.list(0, 29_700_000))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> join(old.delete(List.of(id(1))))).isInstanceOf(StoreUnavailableException.class);
        Files.move(away, two.resolve(StoreMarker.NAME));
        put(old, 100, 120);
        assertThat(blobsIn(two)).as("it is back, and not the store's").isEqualTo(left);
        assertThatThrownBy(() -> open(one, two))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(two + " is not one of them");
    }

    private static void copyBlobs(Path from, Path to) throws IOException {
        List<Path> blobs;
        try (Stream<Path> files = Files.walk(from)) {
            blobs = files.filter(file -> file.toString().endsWith(".blob")).toList();
        }
        for (Path blob : blobs) {
            Path target = to.resolve(from.relativize(blob));
            Files.createDirectories(target.getParent());
            Files.copy(blob, target);
        }
    }

    @Test
    void claimsThatAreLostWithTheirDirectoryBeginWithAContest() throws Exception {
        FileBlobStore old = create(one, two);
        assertThat(start(old, "production")).isTrue();
        String removed = place(one).directory();
        Path away = unmount(one);
        DirectoryRemoval removal = removal(uri(two), removed);
        assertThat(removal.description()).contains("nothing is swept");
        removal.execute();
        assertThat(register(open(two)).orElseThrow()).contains("contest lost");
        assertThatThrownBy(() -> register(old)).isInstanceOf(StoreUnavailableException.class);
        mount(away, one);
        assertThatThrownBy(() -> register(old)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void onlyADirectoryThatIsNotNamedIsRemoved() throws Exception {
        create(one, two, three).close();
        String id = place(three).directory();
        for (List<Path> wrong : List.of(List.of(one), List.of(one, two, three), List.of(one, three))) {
            assertThatThrownBy(() -> removal(uri(wrong.toArray(Path[]::new)), id))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Name all directories but the one to remove");
        }
        assertThatThrownBy(() -> removal(uri(one, two), "00000000")).isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> removal("s3://bucket", id)).isInstanceOf(InvalidSettingsException.class);
        assertThat(place(one).layout().size()).isEqualTo(3);
    }

    @Test
    void aStoreDoesNotLieAmongTheBlobsOfAnother() throws Exception {
        create(one).close();
        Path link = Files.createSymbolicLink(root.resolve("link"), one);
        for (Path inside : List.of(one.resolve("blobs"), one.resolve("blobs/00/x"), link.resolve("staging/x"))) {
            assertThatThrownBy(() -> create(inside))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("of the store file://" + one.toRealPath());
        }
        create(one.resolve("beside")).close();
        assertThatThrownBy(() -> create(two, two.resolve("staging/x"))).isInstanceOf(InvalidSettingsException.class);
        create(three.resolve("blobs/x")).close(); // There is no outer store yet.
        assertThatThrownBy(() -> create(three))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(three.resolve("blobs/x") + " exists");
    }

    @Test
    void twoStoresCreatedAtOnceWithOneDirectoryInCommonDoNotPassForOne() throws Exception {
        FileBlobStore first = create(one, two);
        create(one, three);
        assertThatThrownBy(() -> join(first.list(0, 29_700_000))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> open(one, two))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(two + " is not one of them");
    }

    @Test
    void aMarkerHoldsAsManyDirectoriesAsEarlierVersionsRead() {
        Path[] directories = Stream.iterate(0, i -> i + 1)
                .limit(90)
                .map(i -> root.resolve("d" + i))
                .toArray(Path[]::new);
        create(directories).close();
        Path[] more = Stream.concat(
                        Stream.of(directories),
                        Stream.iterate(90, i -> i + 1).limit(10).map(i -> root.resolve("d" + i)))
                .toArray(Path[]::new);
        assertThatThrownBy(() -> extend(more))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("100 directories are too many");
        open(directories);
    }

    @Test
    void aMarkerOfAnUnknownFormIsRefused() throws Exception {
        create(one).close();
        Files.writeString(one.resolve(StoreMarker.NAME), marker(one).replace("directories ", "directories: "));
        assertThatThrownBy(() -> open(one))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Upgrade this instance");
    }

    @Test
    void aMarkerTouchedIsReadAgainAndStillTheSame() throws Exception {
        FileBlobStore store = create(one);
        put(store, 0, 1);
        Path marker = one.resolve(StoreMarker.NAME);
        Path draft = Files.writeString(root.resolve("draft"), marker(one));
        Files.move(draft, marker, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThat(join(store.list(0, 29_700_000))).hasSize(1);
        Files.writeString(marker, "something else");
        assertThatThrownBy(() -> join(store.list(0, 29_700_000))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> read(store, 5))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(BlobMissingException.class);
    }

    @Test
    void namesOfDirectoriesAreNotTheirPaths() throws Exception {
        create(one, two).close();
        assertThat(marker(one)).doesNotContain("one");
        assertThat(Set.of(place(one).directory(), place(two).directory())).hasSize(2);
        assertThat(place(one).layout().first()).isEqualTo(place(one).directory());
    }
}
