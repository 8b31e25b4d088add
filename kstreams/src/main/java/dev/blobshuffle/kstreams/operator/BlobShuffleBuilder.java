package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link BlobShuffle}. Values that are not set here come from the application's settings,
 * or else are the settings' defaults.
 */
public final class BlobShuffleBuilder<K, V> {
    private static final Settings DEFAULT_SETTINGS = KafkaSettings.parse(Map.of());
    private static final int BATCHES_IN_MEMORY = 4;

    private final String name;
    private final int partitions;
    private final Map<String, Object> settings = new HashMap<>();
    private @Nullable Serde<K> keys;
    private @Nullable Serde<V> values;
    private @Nullable StreamPartitioner<K, V> partitioner;
    private @Nullable Duration maxTimeSpan;
    private LocalCacheConfig local = LocalCacheConfig.off();
    private DistributedCacheConfig distributed = DistributedCacheConfig.off();

    BlobShuffleBuilder(String name, int partitions) {
        this.name = name;
        this.partitions = partitions;
    }

    /** The serdes of keys and values; by default the application's. */
    public BlobShuffleBuilder<K, V> serdes(Serde<K> keySerde, Serde<V> valueSerde) {
        keys = keySerde;
        values = valueSerde;
        return this;
    }

    /**
     * The store for blobs, the same in every instance; by default the application's
     * {@code blobshuffle.store}.
     */
    public BlobShuffleBuilder<K, V> store(StoreConfig store) {
        settings.putAll(store.settings());
        return this;
    }

    /** The cache of an instance. */
    public BlobShuffleBuilder<K, V> localCache(LocalCacheConfig cache) {
        settings.putAll(cache.settings());
        local = cache;
        return cacheMemory();
    }

    /** The cache of a zone. */
    public BlobShuffleBuilder<K, V> distributedCache(DistributedCacheConfig cache) {
        settings.putAll(cache.settings());
        distributed = cache;
        return cacheMemory();
    }

    /**
     * Sets the memory of both caches, because an instance has one memory for both. The zone's cache
     * needs some even if the local cache is off. Without a size, it is the setting's default.
     */
    private BlobShuffleBuilder<K, V> cacheMemory() {
        long own = local.memory().bytes();
        boolean isShared = distributed.reach() == DistributedCacheConfig.Reach.ZONE;
        long shared = isShared ? distributed.memory().map(ByteSize::bytes).orElse(0L) : 0;
        if (isShared && own + shared == 0) {
            settings.remove(CacheSettings.MEMORY_BYTES.name());
            return this;
        }
        return setting(CacheSettings.MEMORY_BYTES.name(), new ByteSize(Math.addExact(own, shared)));
    }

    /**
     * The availability zone of this instance; by default {@code client.rack}, or else the
     * environment variable {@code TOPOLOGY_ZONE}.
     */
    public BlobShuffleBuilder<K, V> zone(Zone zone) {
        return setting(ZoneSettings.ZONE.name(), zone.name());
    }

    /**
     * Size of one zone's part at which a batch becomes a blob. A large batch size raises the memory
     * for writing to four batches, unless that memory is set.
     */
    public BlobShuffleBuilder<K, V> batchSize(ByteSize size) {
        long wanted = Math.multiplyExact(size.bytes(), BATCHES_IN_MEMORY);
        if (wanted > DEFAULT_SETTINGS.value(WriteSettings.WRITE_BUFFER_BYTES).bytes()) {
            settings.putIfAbsent(WriteSettings.WRITE_BUFFER_BYTES.name(), new ByteSize(wanted));
        }
        return setting(WriteSettings.BATCH_MAX_BYTES.name(), size);
    }

    /** The longest time that a record waits in a batch; a commit ends the wait. */
    public BlobShuffleBuilder<K, V> maxBatchDuration(Duration duration) {
        return setting(WriteSettings.BATCH_MAX_DELAY.name(), duration);
    }

    /** Chooses partitions, as in {@code Repartitioned}; by default Kafka's choice by key. */
    public BlobShuffleBuilder<K, V> partitioner(StreamPartitioner<K, V> chooser) {
        partitioner = chooser;
        return this;
    }

    /**
     * The longest time between the records of a segment, by their timestamps. Set it for a shuffle
     * whose records meet those of other topics, as in a join. Kafka Streams processes records of
     * several topics in the order of their timestamps, but the records of a segment come out
     * together, so the order may be off by up to this time. Keep it within the grace period of your
     * joins and windows. Batches end early if timestamps are far apart, above all while the
     * application catches up; blobs are then smaller and cost more requests.
     */
    public BlobShuffleBuilder<K, V> maxTimeSpan(Duration span) {
        maxTimeSpan = span;
        return this;
    }

    /**
     * Sets any setting of this shuffle, for example {@code setting("compression.type", "zstd")}.
     * Shuffles with different settings do not share blobs.
     *
     * @param name as in {@code docs/settings.md}, with or without the prefix {@code blobshuffle.}
     */
    public BlobShuffleBuilder<K, V> setting(String name, Object value) {
        settings.put(name.startsWith(Setting.PREFIX) ? name : Setting.PREFIX + name, value);
        return this;
    }

    ShuffleDefinition<K, V> definition() {
        Settings ignored = KafkaSettings.parse(settings); // Rejects wrong values here.
        return new ShuffleDefinition<>(name, partitions, keys, values, partitioner, maxTimeSpan, settings);
    }

    /**
     * Builds the shuffle.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the values cannot work
     */
    public BlobShuffle<K, V> build() {
        return new BlobShuffle<>(definition());
    }
}
