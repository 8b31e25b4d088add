package dev.blobshuffle.core.internal.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Footers of containers in a store, and reads that are checked. */
class FootersTest {
    private static final BlobId ID = new BlobId(1, 2, 3);
    private static final BlobId OTHER = new BlobId(1, 2, 4);
    private static final long BUDGET = 1 << 20;

    private final MemoryBlobStore memory = new MemoryBlobStore("containers", 64 << 20);
    private final WatchedStore store = new WatchedStore(memory);

    /** Counts reads and loans, delays answers, and returns wrong bytes as a faulty cache would. */
    private static final class WatchedStore extends ForwardingBlobStore {
        final List<BlobRange> reads = new ArrayList<>();
        final Deque<Runnable> held = new ArrayDeque<>();
        boolean isHolding;
        boolean cacheIsWrong;
        boolean cacheIsShort;
        int loans;

        WatchedStore(BlobStore store) {
            super(store);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            reads.add(range);
            CompletableFuture<BlobBytes> answer = new CompletableFuture<>();
            Runnable answering = () -> {
                var ignored = store().get(id, range).whenComplete((bytes, failure) -> {
                    if (failure != null) {
                        answer.completeExceptionally(new CompletionException(failure));
                    } else {
                        answer.complete(lend(bytes, range));
                    }
                });
            };
            if (isHolding) {
                held.add(answering);
            } else {
                answering.run();
            }
            return answer;
        }

        private BlobBytes lend(BlobBytes bytes, BlobRange range) {
            ByteBuffer copy = ByteBuffer.allocate(bytes.buffer().remaining());
            copy.put(bytes.buffer().duplicate()).flip();
            if (!range.isAfresh() && cacheIsWrong) {
                copy.put(copy.limit() - 1, (byte) ~copy.get(copy.limit() - 1));
            }
            if (!range.isAfresh() && cacheIsShort) {
                copy.limit(copy.limit() - 1);
            }
            loans++;
            return new BlobBytes() {
                @Override
                public ByteBuffer buffer() {
                    return copy;
                }

                @Override
                public void close() {
                    loans--;
                }
            };
        }
    }

    private static byte[] segment(int number) {
        byte[] bytes = new byte[1000 + number];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    /** A blob of segments 0, 1, … in two zones. */
    private static byte[] blob(BlobId id, int segmentsPerZone) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ContainerWriter writer = new ContainerWriter(id, 0, 0, ContentKind.OPAQUE, buffer -> {
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            bytes.writeBytes(copy);
        });
        int number = 0;
        for (String zone : List.of("a", "b")) {
            writer.section(new Zone(zone));
            for (int i = 0; i < segmentsPerZone; i++) {
                writer.segment(
                        number,
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        List.of(ByteBuffer.wrap(segment(number))));
                number++;
            }
        }
        writer.finish();
        return bytes.toByteArray();
    }

    private int put(BlobId id, byte[] blob) {
        join(memory.put(id, BlobContent.of(blob)));
        return blob.length;
    }

    private final FooterCache<BlobId, Container> cache = new FooterCache<>(BUDGET, Footers::weight);

    private Footers<Container> footers() {
        return footers(cache, Runnable::run);
    }

    private Footers<Container> footers(FooterCache<BlobId, Container> kept, Executor executor) {
        return new Footers<>(store, container -> container, kept, executor);
    }

    private static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().getNow(null);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static byte[] array(ByteBuffer bytes) {
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    private byte[] checked(BlobRange range, byte[] expected) {
        return join(CheckedRead.of(store, ID, range, Runnable::run, bytes -> {
            byte[] read = array(bytes.buffer().duplicate());
            if (!Arrays.equals(read, expected)) {
                throw new BlobCorruptException("Cannot read blob " + ID + ": planted. Write it again.");
            }
            bytes.close();
            return read;
        }));
    }

    @Test
    void wrongBytesInTheStoreAreCorrupt() {
        int ignored = put(ID, blob(ID, 2));
        assertThatThrownBy(() -> checked(BlobRange.of(0, 1000), segment(1))).isInstanceOf(BlobCorruptException.class);
        assertThat(store.reads).extracting(BlobRange::isAfresh).containsExactly(false, true);
        assertThat(store.loans).isZero();
    }

    @Test
    void wrongBytesOfACacheAreReadAgainFromTheStore() {
        int length = put(ID, blob(ID, 2));
        store.cacheIsWrong = true;
        assertThat(join(footers().open(ID, length)).segments()).hasSize(4);
        assertThat(checked(BlobRange.of(0, 1000), segment(0))).isEqualTo(segment(0));
        assertThat(store.reads).extracting(BlobRange::isAfresh).containsExactly(false, true, false, true);
        store.cacheIsWrong = false;
        store.cacheIsShort = true;
        assertThat(checked(BlobRange.of(0, 1000), segment(0))).isEqualTo(segment(0));
        assertThat(store.loans).isZero();
    }

    @Test
    void aReadThatIsGivenUpGivesUpTheRequest() {
        int ignored = put(ID, blob(ID, 1));
        boolean[] isAbandoned = {false};
        BlobStore slow = new ForwardingBlobStore(memory) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                return new NeverAnswered(() -> isAbandoned[0] = true);
            }
        };
        Abandonable.abandon(CheckedRead.of(slow, ID, BlobRange.of(0, 10), Runnable::run, bytes -> bytes));
        assertThat(isAbandoned[0]).isTrue();
    }

    private static final class NeverAnswered extends CompletableFuture<BlobBytes> implements Abandonable {
        private final Runnable whenAbandoned;

        NeverAnswered(Runnable whenAbandoned) {
            this.whenAbandoned = whenAbandoned;
        }

        @Override
        public void abandon() {
            whenAbandoned.run();
        }
    }

    @Test
    void aFooterIsReadOnceWhileItIsKept() {
        int length = put(ID, blob(ID, 2));
        Footers<Container> footers = footers();
        store.isHolding = true;
        CompletionStage<Container> first = footers.open(ID, length);
        CompletionStage<Container> second = footers.open(ID, length);
        store.held.remove().run();
        assertThat(join(first)).isEqualTo(join(second));
        assertThat(join(footers.open(ID, length))).isNotNull();
        assertThat(store.reads).hasSize(1);
        assertThat(cache.usedBytes()).isEqualTo(1024 + 4 * 160);
        cache.remove(ID);
        assertThat(footers.open(ID, length).toCompletableFuture()).isNotDone();
    }

    @Test
    void footersStayWithinTheirBudget() {
        int length = put(ID, blob(ID, 2));
        int other = put(OTHER, blob(OTHER, 2));
        FooterCache<BlobId, Container> small = new FooterCache<>(2000, Footers::weight);
        Footers<Container> footers = footers(small, Runnable::run);
        join(footers.open(ID, length));
        join(footers.open(OTHER, other));
        assertThat(small.usedBytes()).isLessThanOrEqualTo(2000);
        join(footers.open(OTHER, other));
        assertThat(store.reads).hasSize(2);
        join(footers.open(ID, length));
        assertThat(store.reads).hasSize(3);
    }

    @Test
    void aLongFooterTakesASecondRead() {
        int segments = 40_000;
        int length = put(ID, blob(ID, segments / 2, new byte[] {1}));
        assertThat(join(footers().open(ID, length)).segments()).hasSize(segments);
        assertThat(store.reads).hasSize(2);
    }

    private static byte[] blob(BlobId id, int segmentsPerZone, byte[] segment) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ContainerWriter writer = new ContainerWriter(id, 0, 0, ContentKind.OPAQUE, buffer -> {
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            bytes.writeBytes(copy);
        });
        for (String zone : List.of("a", "b")) {
            writer.section(new Zone(zone));
            for (int i = 0; i < segmentsPerZone; i++) {
                writer.segment(
                        i,
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        List.of(ByteBuffer.wrap(segment)));
            }
        }
        writer.finish();
        return bytes.toByteArray();
    }

    @Test
    void aBlobThatIsNotTheExpectedOneIsCorruptAndIsAskedForAgain() {
        Footers<Container> footers = footers();
        int length = put(ID, blob(OTHER, 1));
        assertThatThrownBy(() -> join(footers.open(ID, length)))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("those of blob " + OTHER);
        assertThatThrownBy(() -> join(footers.open(ID, 10))).isInstanceOf(BlobCorruptException.class);
        assertThatThrownBy(() -> join(footers.open(OTHER, length))).isInstanceOf(BlobMissingException.class);
        put(OTHER, blob(OTHER, 1));
        assertThat(join(footers.open(OTHER, length))).isNotNull();
        assertThat(store.loans).isZero();
    }

    @Test
    void aReaderThatIsClosedReturnsItsLoans() {
        int length = put(ID, blob(ID, 1));
        Executor closed = task -> {
            throw new RejectedExecutionException();
        };
        assertThatThrownBy(() -> join(footers(cache, closed).open(ID, length))).isInstanceOf(ClosedException.class);
        assertThat(store.loans).isZero();
    }

    /** Each thread opens the same blobs in the same order, as tasks of an executor do. */
    @Test
    void threadsThatOpenTheSameBlobsReadEachFooterOnce() {
        int blobs = 30_000;
        int threads = 8;
        AtomicInteger reads = new AtomicInteger();
        int length = blob(ID, 1).length;
        BlobStore generating = new ForwardingBlobStore(memory) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                reads.incrementAndGet();
                return CompletableFuture.completedFuture(BlobBytes.of(
                        ByteBuffer.wrap(blob(id, 1), (int) range.offset(), Math.toIntExact(range.length()))));
            }
        };
        FooterCache<BlobId, Container> roomy = new FooterCache<>(Long.MAX_VALUE, Footers::weight);
        Footers<Container> footers = new Footers<>(generating, container -> container, roomy, Runnable::run);

        ExecutorService tasks = Executors.newFixedThreadPool(threads);
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            ends.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < blobs; i++) {
                            var ignored = footers.open(new BlobId(1, 2, i), length)
                                    .toCompletableFuture()
                                    .join();
                        }
                    },
                    tasks));
        }
        ends.forEach(CompletableFuture::join);
        tasks.shutdown();

        assertThat(reads).hasValue(blobs);
    }
}
