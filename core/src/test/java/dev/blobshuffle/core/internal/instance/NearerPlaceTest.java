package dev.blobshuffle.core.internal.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The decorator between the store's decorators and the caches. */
class NearerPlaceTest {
    private static final BlobId UNSTORED = new BlobId(1, 2, 3);
    private static final BlobId STORED = new BlobId(1, 2, 4);
    private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7, 8};

    private final List<String> closed = new ArrayList<>();

    /** A decorator with a blob that the store does not have. */
    private final class Unstored extends ForwardingBlobStore {
        private int reads;

        Unstored(BlobStore store) {
            super(store);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            if (!id.equals(UNSTORED)) {
                return store().get(id, range);
            }
            reads++;
            ByteBuffer bytes = ByteBuffer.wrap(BYTES, (int) range.offset(), (int) range.length());
            return CompletableFuture.completedFuture(BlobBytes.of(bytes.slice()));
        }

        @Override
        public void close() {
            closed.add("nearer");
            super.close();
        }
    }

    private ShuffleInstance.Builder builder(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of("blobshuffle.store", "memory://nearer"));
        settings.putAll(more);
        return ShuffleInstance.builder(EngineSettings.parse(settings))
                .stores((uri, context) -> new ForwardingBlobStore(new MemoryBlobStore("nearer", 1 << 20)) {
                    @Override
                    public void close() {
                        closed.add("store");
                        super.close();
                    }
                });
    }

    private static byte[] read(BlobStore store, BlobId id, BlobRange range) throws Exception {
        try (BlobBytes bytes = store.get(id, range).toCompletableFuture().get(1, TimeUnit.MINUTES)) {
            byte[] copy = new byte[bytes.buffer().remaining()];
            bytes.buffer().duplicate().get(copy);
            return copy;
        }
    }

    @Test
    void blobThatIsNotStoredIsReadWithoutARequestAndOnceBelowTheCaches() throws Exception {
        List<Unstored> places = new ArrayList<>();
        try (ShuffleInstance instance = builder(Map.of("blobshuffle.cache.memory.bytes", "67108864"))
                .nearer(store -> {
                    places.add(new Unstored(store));
                    return places.get(0);
                })
                .open()) {
            BlobStore store = instance.engine().store();
            for (int i = 0; i < 3; i++) {
                assertThat(read(store, UNSTORED, new BlobRange(0, 8, 2, 3))).containsExactly(3, 4, 5);
            }
            assertThat(places).hasSize(1);
            assertThat(places.get(0).reads).isEqualTo(1);
            assertThat(instance.engine().metrics().value(Counter.GETS)).isZero();
            store.put(STORED, BlobContent.of(BYTES)).toCompletableFuture().get(1, TimeUnit.MINUTES);
            assertThat(read(store, STORED, BlobRange.of(0, 8))).isEqualTo(BYTES);
            assertThat(instance.engine().metrics().value(Counter.GETS)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "67108864"})
    void placeClosesOnceAndBeforeTheStore(String cacheBytes) {
        ShuffleInstance instance = builder(Map.of("blobshuffle.cache.memory.bytes", cacheBytes))
                .nearer(Unstored::new)
                .open();
        instance.close();
        instance.close();
        assertThat(closed).containsExactly("nearer", "store");
    }

    @Test
    void placeThatCannotOpenLeavesNothingOpen() {
        ShuffleInstance.Builder builder = builder(Map.of()).nearer(store -> {
            throw new InvalidSettingsException("no place");
        });
        assertThatThrownBy(builder::open)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("no place");
        assertThat(closed).containsExactly("store");
    }
}
