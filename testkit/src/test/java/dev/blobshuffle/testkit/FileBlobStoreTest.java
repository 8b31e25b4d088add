package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.directory.FileBlobStore;
import dev.blobshuffle.core.internal.store.directory.Fsync;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class FileBlobStoreTest {
    private static final FileTime LONG_AGO = FileTime.fromMillis(0);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path root;

    private final SystemTime time = new SystemTime();
    private final List<FileBlobStore> opened = new ArrayList<>();

    @AfterEach
    void end() {
        opened.forEach(FileBlobStore::close);
        time.close();
    }

    private FileBlobStore open(Path... directories) {
        FileBlobStore store = FileBlobStore.open(List.of(directories), Fsync.NONE, time);
        opened.add(store);
        return store;
    }

    private void put(FileBlobStore store, BlobId id, int length) {
        TrackedContent content = loans.content(new byte[length]);
        try {
            store.put(id, content).toCompletableFuture().join();
        } finally {
            content.release();
        }
    }

    private static int read(FileBlobStore store, BlobId id) {
        try (BlobBytes bytes =
                store.get(id, BlobRange.of(0, 10)).toCompletableFuture().join()) {
            return bytes.buffer().remaining();
        }
    }

    private static List<String> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .filter(name -> !name.equals("blobshuffle-store") && !name.endsWith(".lock"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aBlobLiesUnderItsKeyAndNothingElseIsLeft() throws Exception {
        BlobId id = new BlobId(29_700_000, 7, 8);
        put(open(root), id, 100);
        assertThat(filesIn(root)).containsExactly(BlobKey.of(id));
    }

    @Test
    void anOwnerWithoutBlobsLeavesNoDirectory() {
        FileBlobStore store = open(root);
        BlobId gone = new BlobId(0xabcdef, 29_700_000, 7, 8);
        BlobId former = new BlobId(29_700_000, 7, 8);
        BlobId stays = new BlobId(0x123456, 29_700_000, 7, 8);
        List.of(gone, former, stays).forEach(id -> put(store, id, 100));
        var ignored = store.delete(List.of(gone, former)).toCompletableFuture().join();
        assertThat(store.owners().toCompletableFuture().join()).containsExactly(stays.owner());
        assertThat(root.resolve("blobs")).isDirectoryContaining(path -> path.endsWith("123456"));
        assertThat(root.resolve("blobs")).isDirectoryNotContaining(path -> !path.endsWith("123456"));
        put(store, gone, 10);
        assertThat(read(store, gone)).isEqualTo(10);
    }

    @Test
    void blobsAreSpreadOverTheDirectories() throws Exception {
        FileBlobStore store = open(root.resolve("a"), root.resolve("b"), root.resolve("c"));
        for (int i = 0; i < 90; i++) {
            put(store, new BlobId(1, 77, i), 10);
        }
        for (String name : List.of("a", "b", "c")) {
            assertThat(filesIn(root.resolve(name))).hasSizeBetween(15, 45);
        }
    }

    @Test
    void aDirectoryThatIsGoneIsLeftOutByPutsAndItsBlobsAreUnavailableUntilItIsBack() throws Exception {
        FileBlobStore store = open(root.resolve("a"), root.resolve("b"));
        List<BlobId> ids = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ids.add(new BlobId(1, 77, i));
            put(store, ids.get(i), 10);
        }
        Files.move(root.resolve("b"), root.resolve("unmounted"));
        Files.createDirectory(root.resolve("b")); // As an empty mount point.
        for (int i = 20; i < 40; i++) {
            ids.add(new BlobId(1, 77, i));
            put(store, ids.get(i), 10);
        }
        int unavailable = 0;
        for (BlobId id : ids) {
            try {
                assertThat(read(store, id)).isEqualTo(10);
            } catch (CompletionException e) {
                assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class);
                unavailable++;
            }
        }
        assertThat(unavailable).isBetween(5, 15);
        assertThatThrownBy(() -> store.list(0, 1).toCompletableFuture().join())
                .hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(filesIn(root.resolve("b"))).isEmpty();

        Files.delete(root.resolve("b"));
        Files.move(root.resolve("unmounted"), root.resolve("b"));
        for (BlobId id : ids) {
            assertThat(read(store, id)).isEqualTo(10);
        }
        assertThat(store.list(0, 1).toCompletableFuture().join())
                .extracting(StoredBlob::id)
                .containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void aRootThatIsNotMountedIsUnavailableAndNotMissing() throws Exception {
        FileBlobStore store = open(root.resolve("a"));
        BlobId id = new BlobId(1, 1, 1);
        assertThatThrownBy(() -> read(store, id)).hasCauseInstanceOf(BlobMissingException.class);
        Files.move(root.resolve("a"), root.resolve("unmounted"));
        assertThatThrownBy(() -> read(store, id)).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> put(store, id, 10))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("mounted");
        assertThat(root.resolve("a")).doesNotExist();
    }

    /**
     * The path exists again, as a mount point does, and would take the blob: who mounts the disk
     * again would not find it.
     */
    @Test
    void aRootThatIsUnmountedUnderAWriteKeepsNoBlob() {
        FileBlobStore store = open(root.resolve("a"));
        BlobContent content = new BlobContent() {
            @Override
            public long length() {
                return 10;
            }

            @Override
            public List<ByteBuffer> buffers() {
                unmountUnderWrite(root.resolve("a"));
                return List.of(ByteBuffer.allocate(10));
            }

            @Override
            public void retain() {}

            @Override
            public void release() {}
        };
        assertThatThrownBy(() -> store.put(new BlobId(1, 1, 1), content)
                        .toCompletableFuture()
                        .join())
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("mounted");
    }

    private void unmountUnderWrite(Path directory) {
        try {
            Path away = root.resolve("unmounted");
            Files.move(directory, away);
            try (Stream<Path> files = Files.walk(away)) {
                for (Path draft : files.filter(file -> file.toString().endsWith(".tmp"))
                        .filter(Files::isRegularFile)
                        .toList()) {
                    Path again = directory.resolve(away.relativize(draft));
                    Files.createDirectories(again.getParent());
                    Files.write(again, new byte[10]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aDiskThatTakesNoMoreIsUnavailableAndLeavesNothing() throws Exception {
        // A limit on the size of files fails writes half-way as a full disk does, and needs no
        // right to mount one.
        Process limited = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -f 2048; exec \"$@\"",
                        "sh",
                        java(),
                        "-cp",
                        classPath(),
                        PutTwice.class.getName(),
                        root.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(limited.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(limited.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output)
                .contains("StoreUnavailableException")
                .contains("not full")
                .contains("stored the small one");
        assertThat(filesIn(root)).containsExactly(BlobKey.of(PutTwice.SMALL));
    }

    @Test
    void aContentThatIsNotAsLongAsItClaimsLeavesNothing() throws Exception {
        FileBlobStore store = open(root);
        TrackedContent content = loans.content(new byte[1000]);
        var liar = new dev.blobshuffle.core.store.BlobContent() {
            @Override
            public long length() {
                return 999;
            }

            @Override
            public List<java.nio.ByteBuffer> buffers() {
                return content.buffers();
            }

            @Override
            public void retain() {
                content.retain();
            }

            @Override
            public void release() {
                content.release();
            }
        };
        assertThatThrownBy(() -> store.put(new BlobId(1, 1, 1), liar)
                        .toCompletableFuture()
                        .join())
                .hasCauseInstanceOf(IllegalStateException.class);
        content.release();
        assertThat(filesIn(root)).isEmpty();
    }

    @Test
    void storesInTheSameDirectoryHaveOneFingerprintAndInOthersAnother() {
        Path a = root.resolve("a");
        assertThat(open(a).fingerprint()).isEqualTo(open(a).fingerprint());
        assertThat(open(root.resolve("b")).fingerprint()).isNotEqualTo(open(a).fingerprint());
    }

    @Test
    void directoriesOfTwoStoresAreRefused() {
        open(root.resolve("a"));
        open(root.resolve("b"));
        assertThatThrownBy(() -> open(root.resolve("a"), root.resolve("b")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(root.resolve("a").toString())
                .hasMessageContaining(root.resolve("b").toString());
        assertThatThrownBy(() -> open(root.resolve("a"), root.resolve("new")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("--create --execute");
    }

    @Test
    void anUnusableDirectoryDoesNotKeepTheOthersFromWorking() throws Exception {
        Path bad = root.resolve("bad");
        open(bad, root.resolve("good")).close();
        Files.move(bad, root.resolve("away"));
        Path file = Files.createFile(bad);
        FileBlobStore store = open(bad, root.resolve("good"));
        for (int i = 0; i < 10; i++) {
            put(store, new BlobId(1, 1, i), 10);
            assertThat(read(store, new BlobId(1, 1, i))).isEqualTo(10);
        }
        assertThatThrownBy(() -> open(file.resolve("sub")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("writable");
    }

    @Test
    void filesOfOthersAreLeftAlone() throws Exception {
        FileBlobStore store = open(root);
        BlobId id = new BlobId(29_700_000, 7, 8);
        put(store, id, 10);
        Path generation = root.resolve(BlobKey.of(id)).getParent();
        Files.createFile(generation.resolve("notes.txt"));
        Files.createFile(generation.getParent().resolve("README"));
        Files.createFile(root.resolve("lost+found"));
        assertThat(store.list(0, 29_700_000).toCompletableFuture().join())
                .extracting(StoredBlob::id)
                .containsExactly(id);
        assertThat(store.generations(0).toCompletableFuture().join()).containsExactly(29_700_000L);
        store.delete(List.of(id)).toCompletableFuture().join();
        assertThat(store.generations(0).toCompletableFuture().join()).isEmpty();
        assertThat(filesIn(root)).hasSize(3);
    }

    @Test
    void noDescriptorIsLeftOpen() throws Exception {
        Path descriptors = Path.of("/proc/self/fd");
        assumeThat(descriptors).as("a list of this process's descriptors").exists();
        FileBlobStore store = open(root);
        BlobId id = new BlobId(1, 1, 1);
        put(store, id, 10);
        read(store, id);
        long before = count(descriptors);
        for (int i = 0; i < 60; i++) {
            put(store, new BlobId(1, 1, i), 10);
            read(store, id);
            assertThatThrownBy(() -> read(store, new BlobId(2, 1, 1))).hasCauseInstanceOf(BlobMissingException.class);
            assertThatThrownBy(() -> store.get(id, BlobRange.of(5, 10))
                            .toCompletableFuture()
                            .join())
                    .isNotNull();
        }
        store.list(0, 1).toCompletableFuture().join();
        store.generations(0).toCompletableFuture().join();
        assertThat(count(descriptors)).isLessThan(before + 40);
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.count();
        }
    }

    @Test
    void bytesOnLoanStayWhileOthersAreReadAndGivenBack() {
        FileBlobStore store = open(root.resolve("blobs"));
        int length = 1 << 20;
        for (int i = 0; i < 4; i++) {
            byte[] blob = new byte[length];
            Arrays.fill(blob, (byte) (i + 1));
            TrackedContent content = loans.content(blob);
            store.put(new BlobId(1, 1, i), content).toCompletableFuture().join();
            content.release();
        }
        Random random = new Random(3);
        Map<BlobBytes, Integer> onLoan = new LinkedHashMap<>();
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int round = 0; round < 50; round++) {
            Map<CompletableFuture<BlobBytes>, Integer> reads = new LinkedHashMap<>();
            for (int i = 0; i < 4; i++) {
                int blob = random.nextInt(4);
                BlobRange range = BlobRange.of(0, length - random.nextInt(100));
                reads.put(store.get(new BlobId(1, 1, blob), range).toCompletableFuture(), blob);
            }
            reads.forEach((read, blob) -> onLoan.put(read.join(), blob));
            onLoan.forEach((bytes, blob) -> assertThat(holdsOnly(bytes, (byte) (blob + 1)))
                    .as("a read of blob %d", blob)
                    .isTrue());
            for (BlobBytes bytes : List.copyOf(onLoan.keySet())) {
                if (random.nextBoolean()) {
                    arrays.add(bytes.buffer().array());
                    onLoan.remove(bytes);
                    bytes.close();
                }
            }
        }
        assertThat(arrays).as("arrays of 200 reads").hasSizeLessThan(50);
    }

    private static boolean holdsOnly(BlobBytes bytes, byte value) {
        ByteBuffer buffer = bytes.buffer().duplicate();
        while (buffer.hasRemaining()) {
            if (buffer.get() != value) {
                return false;
            }
        }
        return true;
    }

    @Test
    void unfinishedBlobsOfAnEndedProcessAreRemovedAndThoseOfALivingOneAreNot() throws Exception {
        Process other = new ProcessBuilder(java(), "-cp", classPath(), OpenStore.class.getName(), root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("open");
            Path lock = lockFiles().get(0);
            Path area = lock.resolveSibling(lock.getFileName().toString().replace(".lock", ""));
            Path draft = Files.write(area.resolve("1.tmp"), new byte[1000]);

            Files.setLastModifiedTime(lock, LONG_AGO);
            open(root).close();
            assertThat(draft).as("the draft of a living process").exists();

            other.destroyForcibly();
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
            Files.setLastModifiedTime(lock, LONG_AGO);
            open(root).close();
            assertThat(draft).as("the draft of an ended process").doesNotExist();
            assertThat(lockFiles()).isEmpty();
        } finally {
            other.destroyForcibly();
        }
    }

    private List<Path> lockFiles() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("staging"))) {
            return files.filter(file -> file.toString().endsWith(".lock")).toList();
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** A process that stores a blob too large for it, and then a small one. */
    static final class PutTwice {
        static final BlobId SMALL = new BlobId(1, 1, 2);

        private PutTwice() {}

        public static void main(String[] arguments) {
            LoanCheck loans = new LoanCheck();
            try (SystemTime time = new SystemTime();
                    FileBlobStore store = FileBlobStore.open(List.of(Path.of(arguments[0])), Fsync.NONE, time)) {
                try {
                    store.put(new BlobId(1, 1, 1), loans.content(new byte[4 << 20]))
                            .toCompletableFuture()
                            .join();
                } catch (CompletionException e) {
                    System.out.println(e.getCause());
                }
                store.put(SMALL, loans.content(new byte[500_000]))
                        .toCompletableFuture()
                        .join();
                System.out.println("stored the small one");
            }
        }
    }

    /** A process that opens a store and stays. */
    static final class OpenStore {
        private OpenStore() {}

        public static void main(String[] arguments) throws IOException {
            try (SystemTime time = new SystemTime();
                    FileBlobStore store = FileBlobStore.open(List.of(Path.of(arguments[0])), Fsync.NONE, time)) {
                System.out.println("open");
                System.out.flush();
                int ignored = System.in.read();
            }
        }
    }
}
