package dev.blobshuffle.core.settings;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.Codec;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The values of all settings of an instance, checked. The settings are the constants of this class, the same in every front door, described in {@code docs/settings.md}.
 * Immutable.
 */
public final class Settings {
    /** URI of the store. */
    public static final Setting<Optional<String>> STORE = Setting.text(
            "store",
            "none: a shared store is a decision",
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
            "Patterns over whole names of the topics that shuffle through blobs; changelogs and compacted topics never do.");

    /** Topics that stay native. */
    public static final Setting<List<String>> TOPICS_EXCLUDE = Setting.patterns(
            "topics.exclude",
            "none",
            "Patterns over whole names of topics that stay as they are, although they are included.");

    /** Whether to write blobs. */
    public static final Setting<Boolean> WRITE_ENABLED = Setting.flag(
            "write.enabled",
            true,
            "Whether to write blobs: with false an instance reads both kinds and writes plain records, the first step of rolling in and of rolling out.");

    /** The user's own supplier of Kafka clients. */
    public static final Setting<Optional<String>> CLIENT_SUPPLIER = Setting.text(
            "client.supplier",
            "Kafka Streams' own",
            "Class of the `KafkaClientSupplier` whose clients are wrapped, for applications that already have one.");

    /** Whether records may go through the channel while the store is down. */
    public static final Setting<Boolean> FALLBACK_ENABLED = Setting.flag(
            "fallback.enabled",
            false,
            "Whether records go through Kafka, slowly, while the store is down, instead of failing the commit after the delivery timeout.");

    /** Limit of the fallback. */
    public static final Setting<ByteSize> FALLBACK_MAX_BYTES_PER_SECOND = Setting.size(
            "fallback.max.bytes.per.second",
            new ByteSize(1),
            ByteSize.ofMebibytes(10),
            "The most bytes per second that an instance sends through Kafka while the store is down; brokers are sized for notifications.");

    /** Largest blob. */
    public static final Setting<ByteSize> BATCH_MAX_BYTES = Setting.size(
            "batch.max.bytes",
            new ByteSize(1024),
            ByteSize.ofMebibytes(16),
            "Size of one zone's part at which a batch becomes a blob; larger blobs cost less and take longer.");

    /** Delay budget. */
    public static final Setting<Duration> BATCH_MAX_DELAY = Setting.millis(
            "batch.max.delay.ms",
            0,
            500,
            "The longest that a record waits for others in a batch; a commit ends the wait.");

    /** Adaptive mode. */
    public static final Setting<Optional<Duration>> BATCH_TARGET_LATENCY = Setting.millisOrWord(
            "batch.target.latency.ms",
            "off",
            Duration.ofMillis(1),
            Optional.empty(),
            "The p95 of the time from a record's append until it can be read: batches are as large as it allows with the present load and latencies, up to"
                    + " `batch.max.bytes`, and to `batch.max.delay.ms` if that is given.");

    /** Who shares a batch. */
    public static final Setting<BatchScope> BATCH_SCOPE = Setting.choice(
            "batch.scope",
            BatchScope.INSTANCE,
            "Whether all threads of an instance share a batch, or each lane (stream thread) has its own.");

    /** Which sections share a blob. */
    public static final Setting<BatchLayout> BATCH_LAYOUT = Setting.choice(
            "batch.layout",
            BatchLayout.PACKED,
            "Which zones' parts of a batch share a blob: as many as `batch.max.bytes` has room for (`packed`), none (`per-zone`), or all (`single`).");

    /** Inline rule. */
    public static final Setting<Optional<ByteSize>> INLINE_MAX_BYTES = Setting.optionalSize(
            "inline.max.bytes",
            "by the store's prices: 104 KiB on S3, 208 KiB on Google Cloud, 0 where traffic or requests are free; at least 64 KiB without a delay",
            "A batch below this size goes through Kafka as plain records, because that is cheaper than a request to the store; 0 for never.");

    /** Compression. */
    public static final Setting<Codec> COMPRESSION_TYPE = Setting.choice(
            "compression.type",
            Codec.NONE,
            "How records in blobs are compressed, with the libraries that kafka-clients brings. Kafka Streams: if it is not given, as the producer's"
                    + " `compression.type` says, with zstd for gzip and lz4 for snappy.");

    /** Where the encryption keys are. */
    public static final Setting<Optional<String>> ENCRYPTION_KEYS = Setting.text(
            "encryption.keys",
            "none",
            "URI of the keys that encrypt blobs, for example `file:///etc/blobshuffle/keys`: a file that only its"
                    + " owner can read, with a line `<id> <32 bytes in Base64>` per key. `aws-kms:` with the artifact"
                    + " `blobshuffle-aws-kms` names a file of wrapped keys. Needs `encryption.key.id`.");

    /** The key to write with. */
    public static final Setting<Optional<String>> ENCRYPTION_KEY_ID = Setting.text(
            "encryption.key.id",
            "none given",
            "Id of the key that new blobs are encrypted with, or `none` to read encrypted blobs and write plain ones;"
                    + " needs `encryption.keys`.");

    /** Delivery timeout. */
    public static final Setting<Duration> DELIVERY_TIMEOUT = Setting.millis(
            "delivery.timeout.ms",
            1,
            120_000,
            "The longest from the end of a batch until its blob is stored, with all attempts; then the commit fails.");

    /** Write budget. */
    public static final Setting<ByteSize> WRITE_BUFFER_BYTES = Setting.size(
            "write.buffer.bytes",
            new ByteSize(128 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for records from append until they are stored; when it is full, sending blocks, as with `buffer.memory`.");

    /** Read budget. */
    public static final Setting<ByteSize> READ_BUFFER_BYTES = Setting.size(
            "read.buffer.bytes",
            new ByteSize(64 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for bytes that were fetched, or are being fetched, and not yet handed out.");

    /** Hedging. */
    public static final Setting<Boolean> STORE_HEDGE_ENABLED = Setting.flag(
            "store.hedge.enabled",
            true,
            "Whether a request to an object store that takes longer than 95 % of its like is sent a second time: shorter tails for at most 5 % more requests.");

    /** Prices. */
    public static final Setting<Optional<String>> STORE_PRICES = Setting.text(
            "store.prices",
            "by the store's URI: list prices (us-east) of S3 Standard, of S3 Express One Zone (buckets `…--x-s3`), Cloudflare R2, Google Cloud, Azure; none with any other `endpoint`",
            "What requests and traffic cost, for `inline.max.bytes` and the metrics of cost: a table's name (`aws`, `aws-s3-express`, `gcp`, `azure`, `r2`, `self-hosted`) or a file ([own prices](guides/planner.md#own-prices)).");

    /** Time limit of a request. */
    public static final Setting<Duration> STORE_REQUEST_TIMEOUT = Setting.millis(
            "store.request.timeout.ms",
            1,
            15_000,
            "The longest that one request to the store may take before it is tried again; in practice about four times what all but 1 % take.");

    /** Cache in memory. */
    public static final Setting<ByteSize> CACHE_MEMORY_BYTES = Setting.size(
            "cache.memory.bytes",
            new ByteSize(0),
            new ByteSize(0),
            "Memory of an instance for sections of blobs that it, or its zone, may read again; 0 for none. If it is not given, and `cache.disk.dirs` or"
                    + " `cache.zone.enabled` is, 128 MiB.");

    /** Cache on disk. */
    public static final Setting<List<String>> CACHE_DISK_DIRS = Setting.words(
            "cache.disk.dirs",
            "directories, separated by commas",
            "Local directories, one per disk, of this instance alone, where it keeps sections of blobs over a restart.");

    /** Size of the cache on disk. */
    public static final Setting<ByteSize> CACHE_DISK_BYTES = Setting.size(
            "cache.disk.bytes",
            new ByteSize(1),
            ByteSize.ofMebibytes(10 << 10),
            "Most bytes of the cache on disk, shared evenly by its directories.");

    /** Cache of the zone. */
    public static final Setting<Boolean> CACHE_ZONE_ENABLED = Setting.flag(
            "cache.zone.enabled",
            false,
            "Whether the instances of a zone share their caches, so that each section is downloaded once per zone; needs `peer.listen` and the artifact"
                    + " `blobshuffle-peer`.");

    /** Caches that run by themselves. */
    public static final Setting<List<String>> CACHE_ZONE_MEMBERS = Setting.words(
            "cache.zone.members",
            "zone=host:port, separated by commas",
            "Caches that run by themselves (`blobshuffle cache`), of every zone.");

    /** Cache on write. */
    public static final Setting<Boolean> CACHE_ON_WRITE = Setting.flag(
            "cache.on.write",
            true,
            "Whether an instance that caches keeps what it writes for readers in its own zone.");

    /** Unit of loading. */
    public static final Setting<CacheUnit> CACHE_UNIT = Setting.choice(
            "cache.unit",
            CacheUnit.SECTION,
            "What a cache loads at once: the whole section of its zone, in one request, or each segment as it is asked for.");

    /** Local cache before the zone's. */
    public static final Setting<Boolean> CACHE_ZONE_KEEP = Setting.flag(
            "cache.zone.keep",
            false,
            "Whether an instance keeps in its own memory what other instances of its zone sent it, and asks them for whole units (`cache.unit`): for instances that read the same"
                    + " more than once. Otherwise a zone has each section once.");

    /** Where members hear of each other. */
    public static final Setting<Optional<String>> MEMBERSHIP_TOPIC = Setting.text(
            "membership.topic",
            "under Kafka Streams `<application.id>-blobshuffle-members` where the zone is known or `cache.zone.enabled` is set, else none",
            "Compacted Kafka topic in which instances tell each other their zone, their endpoint and what they read; made if it is not there.");

    /** Where metrics are shown. */
    public static final Setting<Optional<String>> METRICS_LISTEN = Setting.text(
            "metrics.listen",
            "none",
            "Address on which the process shows its metrics to Prometheus, `host:port`, at `/metrics`; port 0 for any free one. Whoever reaches it may read them.");

    /**
     * The shortest grace period of a sweep, and the part of every grace period that is a reserve. It is longer than brokers keep an idle connection
     * ({@code connections.max.idle.ms}, 10 minutes): a producer that stood still for so long cannot deliver what it held without connecting again, and by then it has given it up.
     */
    static final Duration LEAST_GRACE = Duration.ofMinutes(15);

    /**
     * The shortest grace period of {@code blobshuffle gc} while writers run. No command knows their sweep interval, so writers with a longer one keep to this bound.
     */
    public static final Duration COMMAND_GRACE = Duration.ofHours(1);

    /** How long blobs are kept. */
    public static final Setting<Optional<Duration>> RETENTION = Setting.millisOrWord(
            "retention",
            "needed",
            LEAST_GRACE,
            Optional.empty(),
            "How long blobs are kept: as long as a notification in Kafka leads to them (`needed`), or for a time after which they are deleted although somebody may still come for them.");

    /** How often an application sweeps. */
    public static final Setting<Optional<Duration>> SWEEP_INTERVAL = Setting.millisOrWord(
            "sweep.interval.ms",
            "0",
            LEAST_GRACE,
            Optional.of(COMMAND_GRACE),
            "How often the application deletes blobs that are not kept any more, and how long a stored blob may be without its notification; 0 to leave that to `blobshuffle gc`.");

    /** Address to listen on. */
    public static final Setting<Optional<String>> PEER_LISTEN = Setting.text(
            "peer.listen",
            "none",
            "Address on which an instance answers the others of its zone, `host:port`; port 0 for any free one.");

    /** Address to tell others. */
    public static final Setting<Optional<String>> PEER_ADVERTISED = Setting.text(
            "peer.advertised",
            "as `peer.listen`",
            "Address under which the others of the zone reach this instance, `host:port`.");

    /** Shared secret. */
    public static final Setting<Optional<String>> PEER_SECRET_FILE = Setting.text(
            "peer.secret.file",
            "none",
            "File with a secret of 16 bytes or more, the same in every instance and readable by its user only, by which instances know each other; needed unless `peer.tls.*` is given.");

    /** How bytes travel between members. */
    public static final Setting<PeerTransport> PEER_TRANSPORT = Setting.choice(
            "peer.transport",
            PeerTransport.AUTO,
            "How bytes travel between instances: `auto` over TLS but on loopback addresses, `tls` always over TLS, `mac` in the clear with an HMAC of every answer; the same in every instance.");

    /** Certificate. */
    public static final Setting<Optional<String>> PEER_TLS_CERTIFICATE_FILE = Setting.text(
            "peer.tls.certificate.file",
            "none: by the secret",
            "PEM file with this instance's certificate and those between it and the authority.");

    /** Private key. */
    public static final Setting<Optional<String>> PEER_TLS_KEY_FILE = Setting.text(
            "peer.tls.key.file",
            "none: by the secret",
            "PEM file with the private key (PKCS#8, not encrypted) of the certificate; readable by its user only.");

    /** Authority. */
    public static final Setting<Optional<String>> PEER_TLS_TRUST_FILE = Setting.text(
            "peer.tls.trust.file",
            "none: by the secret",
            "PEM file with the authority that signs the certificates of instances, and of nobody else: whoever has one may read.");

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
     * Reads the settings among the configuration of an application: the keys that begin with {@code blobshuffle.}. Other keys are somebody else's, except that
     * {@code client.rack} names the zone where {@code blobshuffle.zone} does not.
     *
     * @throws InvalidSettings fatal: a key under the prefix is unknown, a value is not of its form, or values contradict each other
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
     * The longest that a stored blob may be without its notification before the application's own sweep deletes it: {@code sweep.interval.ms}, or {@link #COMMAND_GRACE} where the
     * application does not sweep.
     */
    public Duration grace() {
        return value(SWEEP_INTERVAL).orElse(COMMAND_GRACE);
    }

    /**
     * How long after its seal a batch's notification may get into the log at the latest: the grace period without its reserve, and at most that of {@code blobshuffle gc} without it.
     * Only a longer {@code delivery.timeout.ms} raises it.
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
     * @param holds the longest that the producer holds a notification before it delivers or fails it
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

    /** Names the settings that were given, with their values; the store's parameters are left out. */
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
