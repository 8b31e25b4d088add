package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The values of all settings of an instance, checked. The settings are the constants of this class,
 * the same in every front door, described in {@code docs/settings.md}. Immutable.
 */
public final class Settings {
    /** URI of the store. */
    public static final Setting<Optional<String>> STORE = Setting.text(
            "store",
            "required",
            "URI of the store where blobs are kept, the same in every instance: `s3://bucket/prefix?region=…` and other [object stores](stores.md), `file:///dir`, several directories as `file:///disk1/blobs,/disk2/blobs`,"
                    + " or `memory://name` for tests in one process; a file store takes `?fsync=none` if blobs need not survive the end of the machine.");

    /** This instance's availability zone. */
    public static final Setting<Optional<String>> ZONE = Setting.text(
            "zone",
            "`client.rack`, then the environment's `TOPOLOGY_ZONE`",
            "Name of the availability zone that this instance runs in.");

    /** Topics that shuffle through blobs. */
    public static final Setting<List<String>> TOPICS_INCLUDE = Setting.patterns(
            "topics.include",
            "internal repartition topics",
            "Patterns for the full names of topics that shuffle through blobs. Changelogs and compacted "
                    + "topics never do.");

    /** Topics that stay native. */
    public static final Setting<List<String>> TOPICS_EXCLUDE = Setting.patterns(
            "topics.exclude",
            "none",
            "Patterns for the full names of topics that stay native even if `topics.include` matches " + "them.");

    /** Whether to write blobs. */
    public static final Setting<Boolean> WRITE_ENABLED = Setting.flag(
            "write.enabled",
            true,
            "Whether to write blobs. If false, an instance writes plain records and still reads both "
                    + "kinds: the first step of rolling in and of rolling out.");

    /** The user's own supplier of Kafka clients. */
    public static final Setting<Optional<String>> CLIENT_SUPPLIER = Setting.text(
            "client.supplier",
            "Kafka Streams' own",
            "Class of the `KafkaClientSupplier` whose clients BlobShuffle wraps, for applications that "
                    + "already use one.");

    /** Whether records may go through the channel while the store is down. */
    public static final Setting<Boolean> FALLBACK_ENABLED = Setting.flag(
            "fallback.enabled",
            false,
            "Whether records go through Kafka at a limited rate while the store is down. Otherwise the "
                    + "commit fails after the delivery timeout.");

    /** Limit of the fallback. */
    public static final Setting<ByteSize> FALLBACK_MAX_BYTES_PER_SECOND = Setting.size(
            "fallback.max.bytes.per.second",
            new ByteSize(1),
            ByteSize.ofMebibytes(10),
            "Maximum bytes per second that an instance sends through Kafka while the store is down. The "
                    + "limit protects brokers that are sized for notifications.");

    /** Largest blob. */
    public static final Setting<ByteSize> BATCH_MAX_BYTES = Setting.size(
            "batch.max.bytes",
            new ByteSize(1024),
            ByteSize.ofMebibytes(16),
            "Size of one zone's section at which a batch becomes a blob. Larger blobs cost less and "
                    + "increase latency.");

    /** Delay budget. */
    public static final Setting<Duration> BATCH_MAX_DELAY = Setting.millis(
            "batch.max.delay.ms",
            0,
            500,
            "Maximum time that a record waits in a batch for others. A commit ends the wait.");

    /** Adaptive mode. */
    public static final Setting<Optional<Duration>> BATCH_TARGET_LATENCY = Setting.millisOrWord(
            "batch.target.latency.ms",
            "off",
            Duration.ofMillis(1),
            Optional.empty(),
            "Target for the p95 latency from a record's append until it can be read. Batches are as "
                    + "large as the target allows under the current load and latencies, at most `batch.max.bytes` "
                    + "and, if set, `batch.max.delay.ms`.");

    /** Who shares a batch. */
    public static final Setting<BatchScope> BATCH_SCOPE = Setting.choice(
            "batch.scope",
            BatchScope.INSTANCE,
            "Whether all threads of an instance share a batch, or each lane (stream thread) has its own.");

    /** Which sections share a blob. */
    public static final Setting<BatchLayout> BATCH_LAYOUT = Setting.choice(
            "batch.layout",
            BatchLayout.PACKED,
            "Which zones' sections of a batch share a blob: as many as fit into `batch.max.bytes` "
                    + "(`packed`), none (`per-zone`), or all (`single`).");

    /** Inline rule. */
    public static final Setting<Optional<ByteSize>> INLINE_MAX_BYTES = Setting.optionalSize(
            "inline.max.bytes",
            "by the store's prices: 104 KiB on S3, 208 KiB on Google Cloud, 0 where traffic or requests are free; at least 64 KiB without a delay",
            "Batches below this size go through Kafka as plain records, which is cheaper than a request "
                    + "to the store. 0 disables this.");

    /** Compression. */
    public static final Setting<Codec> COMPRESSION_TYPE = Setting.choice(
            "compression.type",
            Codec.NONE,
            "Compression of records in blobs, with the libraries of kafka-clients. Under Kafka Streams, "
                    + "the default is the producer's `compression.type`, with zstd for gzip and lz4 for snappy.");

    /** Where the encryption keys are. */
    public static final Setting<Optional<String>> ENCRYPTION_KEYS = Setting.text(
            "encryption.keys",
            "none",
            "URI of the keys that encrypt blobs. `file:///etc/blobshuffle/keys`, for example, names a "
                    + "file that only its owner can read, with a line `<id> <32 bytes in Base64>` per key. "
                    + "`aws-kms:` names a file of wrapped keys and requires the artifact `blobshuffle-aws-kms`. "
                    + "Requires `encryption.key.id`.");

    /** The key to write with. */
    public static final Setting<Optional<String>> ENCRYPTION_KEY_ID = Setting.text(
            "encryption.key.id",
            "not set",
            "Id of the key that encrypts new blobs, or `none` to read encrypted blobs and write plain "
                    + "ones. Requires `encryption.keys`.");

    /** Delivery timeout. */
    public static final Setting<Duration> DELIVERY_TIMEOUT = Setting.millis(
            "delivery.timeout.ms",
            1,
            120_000,
            "Maximum time from the end of a batch until its blob is stored, including all attempts. "
                    + "After it, the commit fails.");

    /** Write budget. */
    public static final Setting<ByteSize> WRITE_BUFFER_BYTES = Setting.size(
            "write.buffer.bytes",
            new ByteSize(128 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for records from append until they are stored. If it is full, sends "
                    + "block, as with `buffer.memory`.");

    /** Read budget. */
    public static final Setting<ByteSize> READ_BUFFER_BYTES = Setting.size(
            "read.buffer.bytes",
            new ByteSize(64 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for bytes that it fetches or has fetched and has not yet returned to "
                    + "the consumer.");

    /** Hedging. */
    public static final Setting<Boolean> STORE_HEDGE_ENABLED = Setting.flag(
            "store.hedge.enabled",
            true,
            "Whether to send a request to an object store a second time if it takes longer than 95 % of "
                    + "similar requests. Hedging shortens the latency tail and adds at most 5 % requests.");

    /** Prices. */
    public static final Setting<Optional<String>> STORE_PRICES = Setting.text(
            "store.prices",
            "by the store's URI: list prices (us-east) of S3 Standard, of S3 Express One Zone (buckets `…--x-s3`), Cloudflare R2, Google Cloud, Azure; none with any other `endpoint`",
            "Prices of requests and traffic, for `inline.max.bytes` and the cost metrics: the name of a "
                    + "table (`aws`, `aws-s3-express`, `gcp`, `azure`, `r2`, `self-hosted`) or a file ([own "
                    + "prices](guides/planner.md#own-prices)).");

    /** Time limit of a request. */
    public static final Setting<Duration> STORE_REQUEST_TIMEOUT = Setting.millis(
            "store.request.timeout.ms",
            1,
            15_000,
            "Upper limit for the timeout of one request to the store, after which it is retried. In "
                    + "practice the timeout is about four times the p99 latency.");

    /** Cache in memory. */
    public static final Setting<ByteSize> CACHE_MEMORY_BYTES = Setting.size(
            "cache.memory.bytes",
            new ByteSize(0),
            new ByteSize(0),
            "Memory of an instance for sections of blobs that it or its zone may read again. 0 disables "
                    + "the cache. The default is 128 MiB if `cache.disk.dirs` or `cache.zone.enabled` is set.");

    /** Cache on disk. */
    public static final Setting<List<String>> CACHE_DISK_DIRS = Setting.words(
            "cache.disk.dirs",
            "directories, separated by commas",
            "Local directories, one per disk, where the instance caches sections of blobs across "
                    + "restarts. Instances must not share a directory.");

    /** Size of the cache on disk. */
    public static final Setting<ByteSize> CACHE_DISK_BYTES = Setting.size(
            "cache.disk.bytes",
            new ByteSize(1),
            ByteSize.ofMebibytes(10 << 10),
            "Maximum size of the cache on disk, split evenly between its directories.");

    /** Cache of the zone. */
    public static final Setting<Boolean> CACHE_ZONE_ENABLED = Setting.flag(
            "cache.zone.enabled",
            false,
            "Whether the instances of a zone share their caches, so that each section is downloaded "
                    + "once per zone. Requires `peer.listen` and the artifact `blobshuffle-peer`.");

    /** Caches that run by themselves. */
    public static final Setting<List<String>> CACHE_ZONE_MEMBERS = Setting.words(
            "cache.zone.members",
            "zone=host:port, separated by commas",
            "Standalone caches (`blobshuffle cache`) of all zones.");

    /** Cache on write. */
    public static final Setting<Boolean> CACHE_ON_WRITE = Setting.flag(
            "cache.on.write",
            true,
            "Whether an instance with a cache also caches the sections that it writes for readers in "
                    + "its own zone.");

    /** Unit of loading. */
    public static final Setting<CacheUnit> CACHE_UNIT = Setting.choice(
            "cache.unit",
            CacheUnit.SECTION,
            "Unit that a cache loads: the whole section of its zone in one request, or each segment on " + "demand.");

    /** Local cache before the zone's. */
    public static final Setting<Boolean> CACHE_ZONE_KEEP = Setting.flag(
            "cache.zone.keep",
            false,
            "Whether an instance also caches in its own memory the data that other instances of its "
                    + "zone sent, and requests whole units (`cache.unit`) from them. Enable it if instances read "
                    + "the same data more than once. Otherwise a zone caches each section once.");

    /** Where members hear of each other. */
    public static final Setting<Optional<String>> MEMBERSHIP_TOPIC = Setting.text(
            "membership.topic",
            "under Kafka Streams `<application.id>-blobshuffle-members` if the zone is known or "
                    + "`cache.zone.enabled` is set, else none",
            "Compacted Kafka topic in which instances announce their zone, their endpoint and the "
                    + "partitions that they read. Created if it does not exist.");

    /** Where metrics are shown. */
    public static final Setting<Optional<String>> METRICS_LISTEN = Setting.text(
            "metrics.listen",
            "none",
            "Address, `host:port`, on which the process serves its metrics to Prometheus at `/metrics`. "
                    + "Port 0 selects a free port. The endpoint has no authentication.");

    /**
     * The shortest grace period of a sweep, and the part of every grace period that is a reserve.
     * It is longer than brokers keep an idle connection ({@code connections.max.idle.ms}, 10
     * minutes): a producer that stood still for so long cannot deliver what it held without
     * connecting again, and by then it has given it up.
     */
    static final Duration LEAST_GRACE = Duration.ofMinutes(15);

    /**
     * The shortest grace period of {@code blobshuffle gc} while writers run. No command knows their
     * sweep interval, so writers with a longer one keep to this bound.
     */
    public static final Duration COMMAND_GRACE = Duration.ofHours(1);

    /** How long blobs are kept. */
    public static final Setting<Optional<Duration>> RETENTION = Setting.millisOrWord(
            "retention",
            "needed",
            LEAST_GRACE,
            Optional.empty(),
            "How long blobs are kept: as long as Kafka holds a notification for them (`needed`), or for "
                    + "a fixed time. After a fixed time blobs are deleted even if readers still need them.");

    /** How often an application sweeps. */
    public static final Setting<Optional<Duration>> SWEEP_INTERVAL = Setting.millisOrWord(
            "sweep.interval.ms",
            "0",
            LEAST_GRACE,
            Optional.of(COMMAND_GRACE),
            "Interval at which the application deletes expired blobs, and how long a stored blob may "
                    + "exist without its notification. 0 leaves deletion to `blobshuffle gc`.");

    /** Address to listen on. */
    public static final Setting<Optional<String>> PEER_LISTEN = Setting.text(
            "peer.listen",
            "none",
            "Address, `host:port`, on which an instance serves other instances of its zone. Port 0 "
                    + "selects a free port.");

    /** Address to tell others. */
    public static final Setting<Optional<String>> PEER_ADVERTISED = Setting.text(
            "peer.advertised",
            "as `peer.listen`",
            "Address, `host:port`, under which other instances of the zone reach this instance.");

    /** Shared secret. */
    public static final Setting<Optional<String>> PEER_SECRET_FILE = Setting.text(
            "peer.secret.file",
            "none",
            "File with a secret of at least 16 bytes that authenticates instances to each other. It "
                    + "must be the same in every instance and readable only by its user. Required unless "
                    + "`peer.tls.*` is set.");

    /** How bytes travel between members. */
    public static final Setting<PeerTransport> PEER_TRANSPORT = Setting.choice(
            "peer.transport",
            PeerTransport.AUTO,
            "Protection of traffic between instances: TLS except on loopback addresses (`auto`), always "
                    + "TLS (`tls`), or unencrypted with an HMAC of every response (`mac`). It must be the same in "
                    + "every instance.");

    /** Certificate. */
    public static final Setting<Optional<String>> PEER_TLS_CERTIFICATE_FILE = Setting.text(
            "peer.tls.certificate.file",
            "none: the secret authenticates instances",
            "PEM file with this instance's certificate and the intermediate certificates.");

    /** Private key. */
    public static final Setting<Optional<String>> PEER_TLS_KEY_FILE = Setting.text(
            "peer.tls.key.file",
            "none: the secret authenticates instances",
            "PEM file with the private key (PKCS#8, not encrypted) of the certificate. It must be "
                    + "readable only by its user.");

    /** Authority. */
    public static final Setting<Optional<String>> PEER_TLS_TRUST_FILE = Setting.text(
            "peer.tls.trust.file",
            "none: the secret authenticates instances",
            "PEM file with the certificate of the authority that signs the instances' certificates. The "
                    + "authority must sign no others, because every holder of a certificate may read.");

    /** Enough for the sections of some blobs of the usual size. */
    private static final ByteSize USUAL_CACHE_MEMORY = ByteSize.ofMebibytes(128);

    private static final List<Setting<?>> ALL = List.of(
            STORE,
            STORE_HEDGE_ENABLED,
            STORE_PRICES,
            STORE_REQUEST_TIMEOUT,
            ZONE,
            TOPICS_INCLUDE,
            TOPICS_EXCLUDE,
            WRITE_ENABLED,
            CLIENT_SUPPLIER,
            FALLBACK_ENABLED,
            FALLBACK_MAX_BYTES_PER_SECOND,
            BATCH_MAX_BYTES,
            BATCH_MAX_DELAY,
            BATCH_TARGET_LATENCY,
            BATCH_SCOPE,
            BATCH_LAYOUT,
            INLINE_MAX_BYTES,
            COMPRESSION_TYPE,
            ENCRYPTION_KEYS,
            ENCRYPTION_KEY_ID,
            DELIVERY_TIMEOUT,
            WRITE_BUFFER_BYTES,
            READ_BUFFER_BYTES,
            CACHE_MEMORY_BYTES,
            CACHE_DISK_DIRS,
            CACHE_DISK_BYTES,
            CACHE_ZONE_ENABLED,
            CACHE_ZONE_KEEP,
            CACHE_ZONE_MEMBERS,
            CACHE_ON_WRITE,
            CACHE_UNIT,
            MEMBERSHIP_TOPIC,
            METRICS_LISTEN,
            RETENTION,
            SWEEP_INTERVAL,
            PEER_LISTEN,
            PEER_ADVERTISED,
            PEER_SECRET_FILE,
            PEER_TRANSPORT,
            PEER_TLS_CERTIFICATE_FILE,
            PEER_TLS_KEY_FILE,
            PEER_TLS_TRUST_FILE);

    private final Map<Setting<?>, Object> values;
    private final Zone zone;

    private Settings(Map<Setting<?>, Object> values, Zone zone) {
        this.values = values;
        this.zone = zone;
    }

    /** Every setting, in the order of the reference. */
    public static List<Setting<?>> all() {
        return ALL;
    }

    /**
     * Reads the settings among the configuration of an application: the keys that begin with
     * {@code blobshuffle.}. Other keys are somebody else's, except that {@code client.rack} names
     * the zone where {@code blobshuffle.zone} does not.
     *
     * @throws InvalidSettings fatal: a key under the prefix is unknown, a value is not of its form,
     *     or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration) {
        return parse(configuration, System.getenv());
    }

    static Settings parse(Map<String, ?> configuration, Map<String, String> environment) {
        Map<Setting<?>, Object> values = new HashMap<>();
        configuration.forEach((key, value) -> {
            NodeSetting.requireKnown(key);
            if (key.startsWith(Setting.PREFIX) && !key.startsWith(NodeSetting.PREFIX)) {
                Setting<?> setting = named(key);
                if (value == null) {
                    throw new InvalidSettings("Cannot use setting " + key + ": it is null. Give " + setting.form()
                            + ", or leave it out.");
                }
                values.put(setting, setting.parse(value));
            }
        });
        MisspeltNames.warn(configuration.keySet());
        Object own = values.getOrDefault(ZONE, Optional.empty());
        Zone zone = Zone.own(
                own instanceof Optional<?> name ? name.map(Object::toString) : Optional.empty(),
                Optional.ofNullable(configuration.get("client.rack")).map(Object::toString),
                environment);
        Settings settings = new Settings(values, zone);
        new Contradictions(settings).check();
        return settings;
    }

    private static Setting<?> named(String key) {
        for (Setting<?> setting : ALL) {
            if (setting.name().equals(key)) {
                return setting;
            }
        }
        throw NodeSetting.unknown(
                key, Stream.concat(ALL.stream().map(Setting::name), NodeSetting.namesForAll().stream()));
    }

    /** The value of a setting: as given, or the default. */
    @SuppressWarnings("unchecked") // Only parse puts values, each made by its setting.
    public <T> T value(Setting<T> setting) {
        Object given = values.get(setting);
        return given == null ? setting.defaultValue() : (T) given;
    }

    /** Whether a setting was given. */
    public boolean isGiven(Setting<?> setting) {
        return values.containsKey(setting);
    }

    /**
     * The store's URI.
     *
     * @throws InvalidSettings fatal: it was not given
     */
    public String store() {
        return value(STORE)
                .orElseThrow(
                        () -> new InvalidSettings(
                                "Cannot start: setting " + STORE
                                        + " is missing. Give the URI of a store that all instances share, for example file:///var/lib/blobs."));
    }

    /**
     * The longest that a stored blob may be without its notification before the application's own
     * sweep deletes it: {@code sweep.interval.ms}, or {@link #COMMAND_GRACE} where the application
     * does not sweep.
     */
    public Duration grace() {
        return value(SWEEP_INTERVAL).orElse(COMMAND_GRACE);
    }

    /**
     * How long after its seal a batch's notification may get into the log at the latest: the grace
     * period without its reserve, and at most that of {@code blobshuffle gc} without it. Only a
     * longer {@code delivery.timeout.ms} raises it.
     */
    public Duration notifyWithin() {
        Duration grace = grace().compareTo(COMMAND_GRACE) < 0 ? grace() : COMMAND_GRACE;
        Duration rest = grace.minus(LEAST_GRACE);
        Duration least = value(DELIVERY_TIMEOUT);
        return rest.compareTo(least) > 0 ? rest : least;
    }

    /**
     * Checks that no producer delivers a notification after a sweep has deleted its blob.
     *
     * @param holds the longest that the producer holds a notification before it delivers or fails
     *     it
     * @param reason the producer's setting behind it, with its value
     * @throws InvalidSettings fatal: the sweep interval is too short for it
     */
    public void requireNotifiedInTime(Duration holds, String reason) {
        Duration least = value(DELIVERY_TIMEOUT).plus(holds).plus(LEAST_GRACE);
        if (value(WRITE_ENABLED) && value(SWEEP_INTERVAL).isPresent() && least.compareTo(grace()) > 0) {
            throw new InvalidSettings("Cannot use the producer's " + reason + " with " + SWEEP_INTERVAL + "="
                    + grace().toMillis() + ": a sweep could delete a blob before the producer has delivered its"
                    + " notification. Give the producer's timeout, " + DELIVERY_TIMEOUT + " and "
                    + LEAST_GRACE.toMinutes() + " minutes together at most the interval, which is " + least.toMillis()
                    + " ms now.");
        }
    }

    /** Memory for caching: as given, or else as the other caches need it. */
    public ByteSize cacheMemory() {
        boolean isNeeded = value(CACHE_ZONE_ENABLED) || !value(CACHE_DISK_DIRS).isEmpty();
        return isNeeded && !isGiven(CACHE_MEMORY_BYTES) ? USUAL_CACHE_MEMORY : value(CACHE_MEMORY_BYTES);
    }

    /** The zone of this instance: {@link Zone#SINGLE} where nobody named one. */
    public Zone zone() {
        return zone;
    }

    /**
     * Names the settings that were given, with their values; the store's parameters are left out.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Setting<?> setting : ALL) {
            if (isGiven(setting)) {
                Object value = setting == STORE ? store().replaceAll("\\?.*", "?…") : value(setting);
                text.append(text.isEmpty() ? "" : ", ")
                        .append(setting)
                        .append('=')
                        .append(value);
            }
        }
        return text.toString();
    }
}
