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
 * Collects what a {@link BlobShuffle} is made of. What is not said here comes from the
 * application's settings, and else has the setting's default.
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
     * Where blobs are kept, the same in every instance; by default {@code blobshuffle.store} of the
     * application.
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
     * An instance has one memory for both caches. The zone's cache needs some even where the local
     * one is off; its size is the setting's default if nobody gives one.
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
     * The availability zone of this instance; by default {@code client.rack}, else
     * {@code TOPOLOGY_ZONE} of the environment.
     */
    public BlobShuffleBuilder<K, V> zone(Zone zone) {
        return setting(ZoneSettings.ZONE.name(), zone.name());
    }

    /**
     * Size of one zone's part at which a batch becomes a blob. A large one raises the memory for
     * writing to four batches, unless that is set.
     */
    public BlobShuffleBuilder<K, V> batchSize(ByteSize size) {
        long wanted = Math.multiplyExact(size.bytes(), BATCHES_IN_MEMORY);
        if (wanted > DEFAULT_SETTINGS.value(WriteSettings.WRITE_BUFFER_BYTES).bytes()) {
            settings.putIfAbsent(WriteSettings.WRITE_BUFFER_BYTES.name(), new ByteSize(wanted));
        }
        return setting(WriteSettings.BATCH_MAX_BYTES.name(), size);
    }

    /** The longest that a record waits for others; a commit ends the wait. */
    public BlobShuffleBuilder<K, V> maxBatchDuration(Duration duration) {
        return setting(WriteSettings.BATCH_MAX_DELAY.name(), duration);
    }

    /** Chooses partitions, as with {@code Repartitioned}; by default Kafka's choice by the key. */
    public BlobShuffleBuilder<K, V> partitioner(StreamPartitioner<K, V> chooser) {
        partitioner = chooser;
        return this;
    }

    /**
     * The longest time between records of a segment, by their timestamps, for a shuffle whose
     * records meet those of other topics, as in a join. Kafka Streams takes records of several
     * topics in the order of their timestamps; those of a segment come out together, so the order
     * may be wrong by up to this time. Give no more than what joins and windows allow for records
     * that are late. Batches end early where times are far apart, above all in catching up: they
     * get smaller and cost more.
     */
    public BlobShuffleBuilder<K, V> maxTimeSpan(Duration span) {
        maxTimeSpan = span;
        return this;
    }

    /**
     * Any setting of this shuffle, for example {@code setting("compression.type", "zstd")}.
     * Shuffles with other settings than the rest do not share blobs with it.
     *
     * @param name as in {@code docs/settings.md}, with or without {@code blobshuffle.} before it
     */
    public BlobShuffleBuilder<K, V> setting(String name, Object value) {
        settings.put(name.startsWith(Setting.PREFIX) ? name : Setting.PREFIX + name, value);
        return this;
    }

    ShuffleDefinition<K, V> definition() {
        Settings ignored = KafkaSettings.parse(settings); // Refuses wrong values where the caller gives them.
        return new ShuffleDefinition<>(name, partitions, keys, values, partitioner, maxTimeSpan, settings);
    }

    /**
     * The shuffle.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the values cannot work
     */
    public BlobShuffle<K, V> build() {
        return new BlobShuffle<>(definition());
    }
}
