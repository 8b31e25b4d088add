package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.Bucket;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The location and the options of an S3 store.
 *
 * @param bucket the bucket, or the alias of an access point
 * @param prefix the prefix of the keys in the bucket
 * @param region the region; empty: the one that the SDK finds in the environment
 * @param endpoint the endpoint of requests; empty: AWS
 * @param isPathStyle whether the bucket goes into the path instead of the host name
 * @param checksum the checksum with which the store verifies uploads
 * @param encryption how the store encrypts; empty: the bucket's default
 * @param connections the most requests at once, 8 or more: a third of them for writing blobs, most
 *     of the rest for reading
 */
record S3Settings(
        String bucket,
        KeyPrefix prefix,
        Optional<String> region,
        Optional<URI> endpoint,
        boolean isPathStyle,
        RequestChecksum checksum,
        Optional<ServerSideEncryption> encryption,
        int connections) {
    /**
     * The most requests that the decorators allow, including hedges, plus some that were given up
     * and have not ended.
     */
    static final int DEFAULT_CONNECTIONS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(S3Settings.class);
    /** Deletes, pages of listings, and registers at once. */
    private static final int OTHERS = 4;

    private static final int FEWEST_CONNECTIONS = 8;
    private static final int MOST_CONNECTIONS = 1024;
    private static final Pattern BUCKET = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]");
    private static final Pattern REGION = Pattern.compile("[a-zA-Z0-9-]{1,63}");

    S3Settings {
        if (!BUCKET.matcher(bucket).matches()) {
            throw new InvalidSettingsException("Cannot open store s3://" + bucket
                    + ": this is not the name of a"
                    + " bucket. Give s3://bucket/prefix, the bucket with 3 to 63 letters, digits, dots and dashes.");
        }
        region.filter(name -> !REGION.matcher(name).matches()).ifPresent(name -> {
            throw new InvalidSettingsException("Cannot open store s3://" + bucket + ": '" + name
                    + "' is not the name of a region. Give for example region=eu-central-1.");
        });
        endpoint.ifPresent(uri -> requireEndpoint(bucket, uri));
        if (connections < FEWEST_CONNECTIONS || connections > MOST_CONNECTIONS) {
            throw new InvalidSettingsException("Cannot open store s3://" + bucket + ": " + connections
                    + " connections are not possible. Give a number from " + FEWEST_CONNECTIONS + " to "
                    + MOST_CONNECTIONS + ".");
        }
    }

    /**
     * The requests of each kind. They have separate threads and connections, so that none waits
     * for the others or for a connection.
     */
    Bucket.Limits limits() {
        int writes = Math.max(1, (connections - OTHERS) / 3);
        return new Bucket.Limits(writes, connections - OTHERS - writes, OTHERS);
    }

    /**
     * Whether requests cross a network unencrypted. Decides by the host name, without a name
     * service.
     */
    boolean isExposed() {
        return endpoint.filter(uri -> "http".equals(uri.getScheme()) && !isLoopback(uri.getHost()))
                .isPresent();
    }

    /** Logs a warning if others can read the store's requests. */
    void warnIfExposed() {
        if (isExposed()) {
            LOG.warn(
                    "Requests to {} go over plain HTTP, so others can read and change records on the way. Give an endpoint"
                            + " with https.",
                    location());
        }
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
    }

    private static void requireEndpoint(String bucket, URI endpoint) {
        boolean isHttp = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
        boolean isPlain = endpoint.getRawUserInfo() == null
                && endpoint.getRawQuery() == null
                && endpoint.getRawFragment() == null;
        if (!isHttp || endpoint.getHost() == null || !isPlain) {
            // The message does not repeat the endpoint, because a wrong one may contain a secret.
            throw new InvalidSettingsException(
                    "Cannot open store s3://" + bucket
                            + ": the endpoint is not of the form https://host:port. Give an endpoint of this form, without credentials or parameters.");
        }
    }

    /** The store's location for messages, without credentials. */
    String location() {
        return "s3://" + bucket + "/" + prefix.text()
                + endpoint.map(uri -> "?endpoint=" + uri).orElse("");
    }
}
