package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Builds a store in a bucket. Unless you pass your own client, the store creates one with the
 * region, endpoint and addressing given here. Owned by the building thread.
 *
 * <p>Your own client keeps its settings, and you close it. Turn its retries off
 * ({@code AwsRetryStrategy.doNotRetry()}): they would multiply with the store's retries and be
 * billed without being counted. Give it at least as many connections as the store uses.
 */
public final class S3BlobStoreBuilder {
    private final String bucket;
    private KeyPrefix prefix = new KeyPrefix("");
    private Optional<String> region = Optional.empty();
    private Optional<URI> endpoint = Optional.empty();
    private boolean isPathStyle;
    private RequestChecksum checksum = RequestChecksum.CRC32C;
    private Optional<ServerSideEncryption> encryption = Optional.empty();
    private int connections = S3Settings.DEFAULT_CONNECTIONS;
    private S3Timeouts timeouts = S3Timeouts.DEFAULT;
    private Optional<S3Requests> requests = Optional.empty();

    S3BlobStoreBuilder(String bucket) {
        this.bucket = bucket;
    }

    /**
     * The prefix of the store's keys in the bucket, such as {@code team/shuffle}; default: none.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the prefix is malformed
     */
    public S3BlobStoreBuilder prefix(String prefix) {
        this.prefix = KeyPrefix.of(prefix);
        return this;
    }

    /** The region; default: the region that the SDK finds in the environment. */
    public S3BlobStoreBuilder region(String region) {
        this.region = Optional.of(region);
        return this;
    }

    /** The endpoint of requests; default: AWS. */
    public S3BlobStoreBuilder endpoint(URI endpoint) {
        this.endpoint = Optional.of(endpoint);
        return this;
    }

    /**
     * Puts the bucket into the path of requests instead of the host name. Most stores other than S3
     * need this.
     */
    public S3BlobStoreBuilder pathStyle() {
        isPathStyle = true;
        return this;
    }

    /** The checksum with which the store verifies uploads; default: CRC32C. */
    public S3BlobStoreBuilder checksum(RequestChecksum checksum) {
        this.checksum = checksum;
        return this;
    }

    /** How the store encrypts blobs; default: the bucket's encryption. */
    public S3BlobStoreBuilder encryption(ServerSideEncryption encryption) {
        this.encryption = Optional.of(encryption);
        return this;
    }

    /**
     * The most requests at once, 8 to 1024; default: 64. About a third of them write blobs, the
     * others read.
     */
    public S3BlobStoreBuilder connections(int connections) {
        this.connections = connections;
        return this;
    }

    /** Sends requests through a blocking client of your own. */
    public S3BlobStoreBuilder client(S3Client client) {
        requests = Optional.of(new BlockingRequests(client, () -> {}));
        return this;
    }

    /**
     * Sends requests through an asynchronous client of your own, which costs a copy of every byte.
     * Do not use a client that uploads in parts, because each part is billed.
     */
    public S3BlobStoreBuilder client(S3AsyncClient client) {
        requests = Optional.of(new AsyncRequests(client));
        return this;
    }

    /** Sets timeouts, for tests of requests that no decorator ends. */
    S3BlobStoreBuilder timeouts(S3Timeouts timeouts) {
        this.timeouts = timeouts;
        return this;
    }

    /**
     * Opens the store, and creates its id if it has none. Blocks.
     *
     * @throws InvalidSettingsException fatal: the settings are wrong, or the store refuses them
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not answer
     */
    public BlobStore open(StoreContext context) {
        S3Settings settings =
                new S3Settings(bucket, prefix, region, endpoint, isPathStyle, checksum, encryption, connections);
        try {
            return requests.isPresent()
                    ? open(settings, Optional.of(timeouts.call()), requests.get(), context)
                    : open(settings, Optional.empty(), S3Clients.requests(settings, timeouts, context.time()), context);
        } catch (StoreRefusedException e) {
            throw new InvalidSettingsException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Opens the store, which closes the client.
     *
     * @param callTimeout the SDK's timeout of a request; empty: the connections' limits apply
     */
    static BlobStore open(
            S3Settings settings, Optional<Duration> callTimeout, S3Requests requests, StoreContext context) {
        settings.warnIfExposed();
        S3Objects objects = new S3Objects(settings, callTimeout, requests, new S3Failures(settings.location()));
        return BucketBlobStore.open(new S3Bucket(settings, objects, context), settings.prefix(), context);
    }
}
