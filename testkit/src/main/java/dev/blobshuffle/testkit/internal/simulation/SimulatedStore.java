package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The object store of a simulated world. It outlives processes. A put may still take effect after
 * its process has ended; its answer is then dropped. The last write of an id wins, as in object
 * stores. Guarded by the simulation's baton.
 */
final class SimulatedStore {
    private static final int FINGERPRINT = 0x51;
    private static final Duration LONGER_THAN_ANYBODY_WAITS = Duration.ofSeconds(100);

    private final Chance chance;
    private final SimulatedTime time;
    private final LongSupplier clock;
    private final Ledger ledger;
    private final Map<BlobId, byte[]> blobs = new HashMap<>();

    /** When each blob was stored, by the store's clock. */
    private final Map<BlobId, Instant> times = new HashMap<>();

    /** The same in virtual time. */
    private final Map<BlobId, Duration> kept = new HashMap<>();

    private final List<Client> clients = new ArrayList<>();
    private final Registers registers;
    private final Predicate<BlobId> isNeeded;
    private long hiddenUntilMillis;
    private long downUntilMillis;

    /** Decides which requests fail, and counts them. */
    @FunctionalInterface
    interface Chance {
        /** Whether a kind of fault happens now. */
        boolean strikes(Fault fault, int oneIn);
    }

    /**
     * An empty store whose clock is right.
     *
     * @param isNeeded whether a reader may still request a blob, which then must not be deleted
     */
    SimulatedStore(Chance chance, SimulatedTime time, Ledger ledger, Predicate<BlobId> isNeeded) {
        this(chance, time, time::wallMillis, ledger, isNeeded);
    }

    /** @param clock the store's, milliseconds since the Unix epoch */
    SimulatedStore(Chance chance, SimulatedTime time, LongSupplier clock, Ledger ledger, Predicate<BlobId> isNeeded) {
        this.isNeeded = isNeeded;
        this.chance = chance;
        this.time = time;
        this.clock = clock;
        this.ledger = ledger;
        registers = new SimulatedRegisters(clock);
    }

    private void keep(BlobId id, BlobContent content) {
        blobs.put(id, copy(content));
        times.put(id, Instant.ofEpochMilli(clock.getAsLong()));
        kept.put(id, time.elapsed());
    }

    /** For how long a blob has been stored, in virtual time. */
    Duration age(BlobId id) {
        return time.elapsed().minus(kept.getOrDefault(id, Duration.ZERO));
    }

    /**
     * By how much a blob looked older than it was when it was stored: by the later of the store's
     * time and the minute in its id.
     */
    Duration looksOlder(BlobId id) {
        Instant stored = times.getOrDefault(id, Instant.EPOCH);
        Instant minute = Instant.ofEpochMilli(id.generation() * BlobId.MILLIS_PER_GENERATION);
        Instant right = Instant.ofEpochMilli(time.wallMillis()).minus(age(id));
        Duration older = Duration.between(minute.isAfter(stored) ? minute : stored, right);
        return older.isNegative() ? Duration.ZERO : older;
    }

    /** The store as a process sees it. */
    BlobStore client(SimulatedProcess process) {
        return client(process, this::requireUnneeded);
    }

    /**
     * The same for a process whose deletions the given consumer checks.
     *
     * @param deleted receives each blob before it is deleted
     */
    BlobStore client(SimulatedProcess process, Consumer<BlobId> deleted) {
        Client client = new Client(process, deleted);
        clients.add(client);
        return client;
    }

    /** Loses all blobs. */
    void empty() {
        blobs.clear();
    }

    boolean has(BlobId id) {
        return blobs.containsKey(id);
    }

    /** Whether a blob was ever stored. */
    boolean hasKept(BlobId id) {
        return kept.containsKey(id);
    }

    /** Whether the range that a notification names is there. */
    boolean holds(Notification notification) {
        byte[] blob = blobs.get(notification.blob());
        return blob != null && notification.segmentOffset() + notification.segmentLength() <= blob.length;
    }

    /** Timestamps of the records of a notification that the store {@link #holds}. */
    LongSummaryStatistics timestamps(Partition partition, Notification notification) {
        byte[] blob = blobs.getOrDefault(notification.blob(), new byte[0]);
        int start = (int) notification.segmentOffset();
        SegmentReader reader =
                new SegmentReader(notification, partition, Keyring.none(), SegmentReader.Memory.UNLIMITED);
        reader.input(ByteBuffer.wrap(blob, start, (int) notification.segmentLength()));
        LongSummaryStatistics timestamps = new LongSummaryStatistics();
        while (reader.next()) {
            timestamps.accept(reader.timestamp());
        }
        return timestamps;
    }

    /** Bytes that were read and not released, over all processes that were not killed. */
    long openBytes() {
        return clients.stream()
                .filter(client -> client.process.isAlive())
                .mapToLong(client -> client.openBytes)
                .sum();
    }

    /** For a while some blobs are reported missing. */
    void hide(Duration span) {
        hiddenUntilMillis = time.wallMillis() + span.toMillis();
    }

    /** For a while every request fails. */
    void fail(Duration span) {
        downUntilMillis = time.wallMillis() + span.toMillis();
    }

    private boolean isDown() {
        return time.wallMillis() < downUntilMillis;
    }

    private boolean isHidden(BlobId id) {
        return time.wallMillis() < hiddenUntilMillis && (id.sequence() & 1) == 0;
    }

    private boolean strikes(Fault fault, int oneIn) {
        return chance.strikes(fault, oneIn);
    }

    private Duration latency(boolean slow) {
        return slow ? Duration.ofMillis(1500 + time.random(6000)) : Duration.ofMillis(2 + time.random(60));
    }

    private static StoreUnavailableException unavailable(String what, BlobId id) {
        return new StoreUnavailableException("Cannot " + what + " blob " + id + ": the simulation says so. Try again.");
    }

    private final class Client implements BlobStore {
        private final SimulatedProcess process;
        private final Consumer<BlobId> deleted;
        private long openBytes;

        Client(SimulatedProcess process, Consumer<BlobId> deleted) {
            this.process = process;
            this.deleted = deleted;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            CompletableFuture<Void> result = new CompletableFuture<>();
            content.retain();
            boolean fails = isDown() || strikes(Fault.PUT_FAILED, 5);
            boolean answerLost = !fails && strikes(Fault.PUT_ANSWER_LOST, 8);
            boolean straggles = !fails && strikes(Fault.PUT_STRAGGLED, 8);
            Duration latency =
                    strikes(Fault.STORE_HANGS, 60) ? LONGER_THAN_ANYBODY_WAITS : latency(strikes(Fault.PUT_SLOW, 12));
            time.schedule(latency, () -> {
                if (!fails) {
                    keep(id, content);
                }
                if (straggles) {
                    content.retain();
                    time.schedule(latency(false), () -> {
                        keep(id, content);
                        content.release();
                    });
                }
                answer(result, null, fails || answerLost ? unavailable("store", id) : null);
                content.release();
            });
            return result;
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            CompletableFuture<BlobBytes> result = new CompletableFuture<>();
            if (strikes(Fault.STORE_HANGS, 60)) {
                return result;
            }
            boolean fails = isDown() || strikes(Fault.GET_FAILED, 5);
            time.schedule(latency(strikes(Fault.GET_SLOW, 12)), () -> {
                byte[] blob = blobs.get(id);
                if (fails) {
                    answer(result, null, unavailable("read", id));
                } else if (blob == null || isHidden(id)) {
                    answer(
                            result,
                            null,
                            new BlobMissingException("Cannot read blob " + id + ": it is not in the simulated store."));
                } else if (range.end() > blob.length) {
                    answer(
                            result,
                            null,
                            new BlobCorruptException("Cannot read blob " + id + ": " + range + " is outside its "
                                    + blob.length + " bytes."));
                } else {
                    answer(
                            result,
                            loan(falsified(Arrays.copyOfRange(blob, (int) range.offset(), (int) range.end()))),
                            null);
                }
            });
            return result;
        }

        /** A killed process receives no answer. */
        private <T> void answer(
                CompletableFuture<T> result, @Nullable T value, @Nullable BlobShuffleException failure) {
            if (!process.isAlive()) {
                if (value instanceof BlobBytes bytes) {
                    bytes.close();
                }
            } else if (failure != null) {
                boolean ignored = result.completeExceptionally(failure);
            } else {
                boolean ignored = result.complete(value);
            }
        }

        private BlobBytes loan(byte[] bytes) {
            openBytes += bytes.length;
            return new BlobBytes() {
                private boolean isClosed;

                @Override
                public ByteBuffer buffer() {
                    return ByteBuffer.wrap(bytes);
                }

                @Override
                public void close() {
                    if (!isClosed) {
                        isClosed = true;
                        openBytes -= bytes.length;
                        Arrays.fill(bytes, (byte) 0xDD); // A later read returns garbage.
                    }
                }
            };
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            boolean fails = strikes(Fault.SWEEP_REQUEST_FAILED, 4);
            boolean hasEffect = !fails || time.random(2) == 0;
            CompletableFuture<Void> result = new CompletableFuture<>();
            List<BlobId> doomed = List.copyOf(ids);
            time.schedule(latency(false), () -> {
                if (hasEffect) {
                    doomed.forEach(id -> remove(id, deleted));
                }
                answer(result, null, fails ? unavailable("delete", doomed.get(0)) : null);
            });
            return result;
        }

        @Override
        public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
            return ask(() -> blobs.keySet().stream()
                    .filter(id -> id.owner() == owner && id.generation() == generation)
                    .sorted()
                    .map(id -> new StoredBlob(id, times.getOrDefault(id, Instant.EPOCH)))
                    .toList());
        }

        @Override
        public CompletionStage<List<Long>> generations(int owner) {
            return ask(() -> blobs.keySet().stream()
                    .filter(id -> id.owner() == owner)
                    .map(BlobId::generation)
                    .distinct()
                    .sorted()
                    .toList());
        }

        @Override
        public CompletionStage<List<Integer>> owners() {
            return ask(() -> blobs.keySet().stream()
                    .map(BlobId::owner)
                    .distinct()
                    .sorted()
                    .toList());
        }

        @Override
        public Optional<Registers> registers() {
            return Optional.of(registers);
        }

        @Override
        public CompletionStage<Long> length(BlobId id) {
            CompletableFuture<Long> result = new CompletableFuture<>();
            boolean fails = isDown() || strikes(Fault.SWEEP_REQUEST_FAILED, 20);
            time.schedule(latency(false), () -> {
                byte[] blob = blobs.get(id);
                if (fails) {
                    answer(result, null, unavailable("measure", id));
                } else if (blob == null || isHidden(id)) {
                    answer(result, null, new BlobMissingException("Cannot measure blob " + id + ": it is not there."));
                } else {
                    answer(result, (long) blob.length, null);
                }
            });
            return result;
        }

        private <T> CompletionStage<T> ask(Supplier<T> question) {
            CompletableFuture<T> result = new CompletableFuture<>();
            boolean fails = isDown() || strikes(Fault.SWEEP_REQUEST_FAILED, 10);
            time.schedule(
                    latency(false),
                    () -> answer(
                            result,
                            fails ? null : question.get(),
                            fails
                                    ? new StoreUnavailableException("Cannot list: the simulation says so. Try again.")
                                    : null));
            return result;
        }

        @Override
        public int fingerprint() {
            return FINGERPRINT;
        }

        @Override
        public String location() {
            return "simulated://store";
        }

        @Override
        public void close() {}
    }

    private void remove(BlobId id, Consumer<BlobId> deleted) {
        if (blobs.containsKey(id)) {
            deleted.accept(id);
            blobs.remove(id);
        }
    }

    private void requireUnneeded(BlobId id) {
        if (isNeeded.test(id)) {
            ledger.violation("blob " + id + " was deleted although a notification leads to it");
        }
    }

    /** The blobs that no reader may request any more. */
    List<BlobId> unneeded() {
        return blobs.keySet().stream().filter(isNeeded.negate()).sorted().toList();
    }

    private byte[] falsified(byte[] bytes) {
        if (strikes(Fault.GET_TRUNCATED, 12)) {
            return Arrays.copyOf(bytes, time.random(bytes.length));
        }
        if (strikes(Fault.GET_FLIPPED, 12)) {
            bytes[time.random(bytes.length)] ^= (byte) (1 + time.random(255));
        }
        return bytes;
    }

    private static byte[] copy(BlobContent content) {
        byte[] bytes = new byte[Math.toIntExact(content.length())];
        int at = 0;
        for (ByteBuffer buffer : content.buffers()) {
            int length = buffer.remaining();
            buffer.get(bytes, at, length);
            at += length;
        }
        return bytes;
    }
}
