package dev.blobshuffle.spark.internal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.TestApplication;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.write.MapBatcher;
import dev.blobshuffle.spark.internal.write.MapOutput;
import dev.blobshuffle.spark.internal.write.Outputs;
import dev.blobshuffle.spark.internal.write.PackingRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of a blob of three attempts, of which two are of one map. */
class StoreFetchTest {
    private static final PackingRule RULE = new PackingRule(
            1 << 30, Integer.MAX_VALUE, Duration.ofSeconds(1), Duration.ofSeconds(1), PackingRule.WhenStored.KEEP);
    private static final int WINDOW = 64 << 10;
    private static final TransportConf TRANSPORT = new TransportConf("shuffle", MapConfigProvider.EMPTY);

    @TempDir
    private Path files;

    private final MemoryBlobStore store = new MemoryBlobStore("test", 100 << 20);
    private final List<BlobRange> reads = new ArrayList<>();
    private final Map<String, byte[]> blocks = new LinkedHashMap<>();

    private record Stored(BlobId id, long length) {}

    private Stored stored(MapOutput... outputs) {
        DirectoryClient directory = new DirectoryClient(
                new BlobDirectory(new TestApplication())::answer,
                new Whereabouts.Endpoint("1", "host", 7),
                Zone.SINGLE);
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher =
                    new MapBatcher(new MapBatcher.Target(store, 42, "app-1"), directory, RULE, file -> false, time);
            BlobId blob = null;
            for (MapOutput output : outputs) {
                blob = batcher.add(output).orElseThrow();
            }
            time.settle(Duration.ofSeconds(2));
            return new Stored(
                    blob,
                    directory.refresh(Objects.requireNonNull(blob)).length().orElseThrow());
        }
    }

    private StoreFetch fetch(Stored blob, BlobStore from) {
        return fetch(blob, from, Windows.NONE);
    }

    private StoreFetch fetch(Stored blob, BlobStore from, Windows windows) {
        StoredBlobs blobs = new StoredBlobs(from, Duration.ofMinutes(5), Runnable::run);
        OpenedBlob opened = blobs.open(blob.id, blob.length, windows);
        reads.clear();
        return new StoreFetch(blobs, opened, (name, bytes) -> blocks.put(name, bytes(bytes)));
    }

    private BlobStore counting() {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                reads.add(range);
                return super.get(id, range);
            }
        };
    }

    private static byte[] bytes(ManagedBuffer buffer) {
        try {
            ByteBuffer from = buffer.nioByteBuffer();
            byte[] bytes = new byte[from.remaining()];
            from.get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] part(MapOutput output, int from, int to) throws IOException {
        return Arrays.copyOfRange(Files.readAllBytes(output.file()), from, to);
    }

    @Test
    void aBlockIsOfTheAttemptThatIsAskedFor() throws IOException {
        MapOutput loser = Outputs.of(files, 1, 0, 10, 100, 200);
        MapOutput chosen = Outputs.of(files, 1, 0, 11, 100, 200);
        Stored blob = stored(loser, Outputs.of(files, 1, 1, 12, 100, 200), chosen);

        fetch(blob, store).toMemory(List.of(BlockRange.parse("shuffle_1_11_0"), BlockRange.parse("shuffle_1_11_1")));

        assertThat(blocks.get("shuffle_1_11_0")).isEqualTo(part(chosen, 0, 100));
        assertThat(blocks.get("shuffle_1_11_1")).isEqualTo(part(chosen, 100, 300));
    }

    @Test
    void neighboursAreReadInOneRequest() throws IOException {
        MapOutput first = Outputs.of(files, 1, 0, 10, 100, 200, 300);
        MapOutput second = Outputs.of(files, 1, 1, 11, 100, 200, 300);
        Stored blob = stored(first, second);

        fetch(blob, counting())
                .toMemory(List.of(BlockRange.parse("shuffle_1_11_1_3"), BlockRange.parse("shuffle_1_10_1_3")));

        assertThat(reads).containsExactly(BlobRange.of(200, 1000));
        assertThat(blocks.get("shuffle_1_10_1_3")).isEqualTo(part(first, 100, 600));
        assertThat(blocks.get("shuffle_1_11_1_3")).isEqualTo(part(second, 100, 600));
    }

    @Test
    void whatIsFarAwayIsReadSeparately() throws IOException {
        MapOutput output = Outputs.of(files, 1, 0, 10, 100, 1 << 20, 300);
        Stored blob = stored(output);

        fetch(blob, counting())
                .toMemory(List.of(BlockRange.parse("shuffle_1_10_0"), BlockRange.parse("shuffle_1_10_2")));

        assertThat(reads).hasSize(2);
        assertThat(blocks.get("shuffle_1_10_2")).isEqualTo(part(output, 100 + (1 << 20), 400 + (1 << 20)));
    }

    @Test
    void neighboursInTwoWindowsAreReadByWindows() throws IOException {
        MapOutput output = Outputs.of(files, 1, 0, 10, 100, WINDOW - 200, 200, 300);
        Stored blob = stored(output);

        fetch(blob, counting(), new Windows(WINDOW)).toMemory(List.of(BlockRange.parse("shuffle_1_10_0_4")));

        long second = Math.min(WINDOW, blob.length - WINDOW);
        assertThat(reads)
                .containsExactly(
                        new BlobRange(0, WINDOW, 0, WINDOW - 100),
                        new BlobRange(0, WINDOW, WINDOW - 100, 100),
                        new BlobRange(WINDOW, second, WINDOW, 100),
                        new BlobRange(WINDOW, second, WINDOW + 100, 300));
        assertThat(blocks.get("shuffle_1_10_0_4")).isEqualTo(part(output, 0, WINDOW + 400));
    }

    @Test
    void damagedBytesOfACacheAreReadAgainFromAllWindowsOfASegment() throws IOException {
        MapOutput output = Outputs.of(files, 1, 0, 10, 100, 3 * WINDOW);
        Stored blob = stored(output);
        Windows windows = new Windows(WINDOW);
        List<BlockRange> block = List.of(BlockRange.parse("shuffle_1_10_1"));

        fetch(blob, damaging(range -> !range.isAfresh() && range.offset() == WINDOW), windows)
                .toMemory(block);
        assertThat(blocks.get("shuffle_1_10_1")).isEqualTo(part(output, 100, 100 + 3 * WINDOW));

        blocks.clear();
        fetch(blob, damaging(range -> !range.isAfresh() && range.offset() == WINDOW), windows)
                .toFiles(block, new Downloads(), TRANSPORT);
        assertThat(blocks.get("shuffle_1_10_1")).isEqualTo(part(output, 100, 100 + 3 * WINDOW));

        StoreFetch fetch = fetch(blob, damaging(range -> range.offset() == WINDOW), windows);
        assertThatThrownBy(() -> fetch.toMemory(block)).isInstanceOf(BlobCorruptException.class);
    }

    @Test
    void aLargeBlockGoesToAFileInParts() throws IOException {
        MapOutput output = Outputs.of(files, 1, 0, 10, 100, 20 << 20);
        Stored blob = stored(output);

        fetch(blob, counting()).toFiles(List.of(BlockRange.parse("shuffle_1_10_1")), new Downloads(), TRANSPORT);

        assertThat(reads).hasSize(3).allMatch(range -> range.length() <= 8 << 20);
        assertThat(blocks.get("shuffle_1_10_1")).isEqualTo(part(output, 100, 100 + (20 << 20)));
    }

    @Test
    void damagedBytesAreNeverReturned() {
        Stored blob = stored(Outputs.of(files, 1, 0, 10, 100, 200));
        StoreFetch fetch = fetch(blob, damaging(StoreFetchTest::isDamaged));

        assertThatThrownBy(() -> fetch.toMemory(List.of(BlockRange.parse("shuffle_1_10_1"))))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("[100, +200)");
        assertThatThrownBy(() -> fetch.toFiles(List.of(BlockRange.parse("shuffle_1_10_1")), new Downloads(), TRANSPORT))
                .isInstanceOf(BlobCorruptException.class);
        assertThat(blocks).isEmpty();
    }

    @Test
    void damagedBytesOfACacheAreReadAgain() throws IOException {
        MapOutput output = Outputs.of(files, 1, 0, 10, 100, 200);
        fetch(stored(output), damaging(range -> isDamaged(range) && !range.isAfresh()))
                .toMemory(List.of(BlockRange.parse("shuffle_1_10_1")));

        assertThat(blocks.get("shuffle_1_10_1")).isEqualTo(part(output, 100, 300));
    }

    private static boolean isDamaged(BlobRange range) {
        return range.offset() == 100 && range.length() == 200;
    }

    private BlobStore damaging(Predicate<BlobRange> isDamaged) {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                return super.get(id, range).thenApply(bytes -> {
                    ByteBuffer copy = ByteBuffer.allocate(bytes.buffer().remaining());
                    copy.put(bytes.buffer().duplicate()).flip();
                    if (isDamaged.test(range)) {
                        copy.put(7, (byte) (copy.get(7) ^ 1));
                    }
                    return BlobBytes.of(copy);
                });
            }
        };
    }

    @Test
    void anAttemptThatTheBlobLacksIsAFailure() {
        Stored blob = stored(Outputs.of(files, 1, 0, 10, 100, 0));
        StoreFetch fetch = fetch(blob, store);

        assertThatThrownBy(() -> fetch.toMemory(List.of(BlockRange.parse("shuffle_1_11_0"))))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("attempt 11");
        assertThatThrownBy(() -> fetch.toMemory(List.of(BlockRange.parse("shuffle_1_10_1"))))
                .hasMessageContaining("Spark expects bytes");
    }

    /** Files of a task. */
    private final class Downloads implements DownloadFileManager {
        @Override
        public DownloadFile createTempFile(TransportConf transport) {
            return new Download(files.resolve("download"));
        }

        @Override
        public boolean registerTempFileToClean(DownloadFile file) {
            return true;
        }
    }

    private record Download(Path file) implements DownloadFile {
        @Override
        public boolean delete() {
            return file.toFile().delete();
        }

        @Override
        public DownloadFileWritableChannel openForWriting() throws IOException {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new DownloadFileWritableChannel() {
                @Override
                public ManagedBuffer closeAndRead() throws IOException {
                    long length = channel.size();
                    channel.close();
                    return new FileSegmentManagedBuffer(TRANSPORT, file.toFile(), 0, length);
                }

                @Override
                public int write(ByteBuffer bytes) throws IOException {
                    return channel.write(bytes);
                }

                @Override
                public boolean isOpen() {
                    return channel.isOpen();
                }

                @Override
                public void close() throws IOException {
                    channel.close();
                }
            };
        }

        @Override
        public String path() {
            return file.toString();
        }
    }
}
