package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.KeyPrefix;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where an S3 store is and how it is asked.
 *
 * @param bucket the bucket, or the alias of an access point
 * @param prefix what the keys in the bucket begin with
 * @param region the region; empty for what the SDK finds in the environment
 * @param endpoint where to send requests; empty for AWS
 * @param isPathStyle whether the bucket goes into the path instead of the host name
 * @param checksum what the store checks uploads against
 * @param encryption how the store encrypts; empty for the bucket's default
 * @param connections the most requests at once, 8 or more: a third of them for writing blobs, most of the rest for reading
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
    /** What the decorators let through at most, hedges included, and some that were given up and have not ended. */
    static final int DEFAULT_CONNECTIONS = 64;

    private static final int FEWEST_CONNECTIONS = 8;
    private static final int MOST_CONNECTIONS = 1024;
    private static final Pattern BUCKET = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]");
    private static final Pattern REGION = Pattern.compile("[a-zA-Z0-9-]{1,63}");

    S3Settings {
        if (!BUCKET.matcher(bucket).matches()) {
            throw new InvalidSettings(
                    "Cannot open store s3://" + bucket
                            + ": this is no name of a bucket. Give s3://bucket/prefix, the bucket with 3 to 63 letters, digits, dots and dashes.");
        }
        region.filter(name -> !REGION.matcher(name).matches()).ifPresent(name -> {
            throw new InvalidSettings("Cannot open store s3://" + bucket + ": '" + name
                    + "' is no name of a region. Give for example region=eu-central-1.");
        });
        endpoint.ifPresent(uri -> requireEndpoint(bucket, uri));
        if (connections < FEWEST_CONNECTIONS || connections > MOST_CONNECTIONS) {
            throw new InvalidSettings("Cannot open store s3://" + bucket + ": " + connections
                    + " connections are not possible. Give a number from " + FEWEST_CONNECTIONS + " to "
                    + MOST_CONNECTIONS + ".");
        }
    }

    /** Whether requests cross a network unencrypted. Decided by the name of the host: nobody is asked for an address. */
    boolean isExposed() {
        return endpoint.filter(uri -> "http".equals(uri.getScheme()) && !isLoopback(uri.getHost()))
                .isPresent();
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
            // Not repeated: whoever got it wrong may have put a secret into it.
            throw new InvalidSettings(
                    "Cannot open store s3://" + bucket
                            + ": the endpoint is not of the form https://host:port. Give it so, without credentials or parameters.");
        }
    }

    /** The store as it may be shown to people. */
    String location() {
        return "s3://" + bucket + "/" + prefix.text()
                + endpoint.map(uri -> "?endpoint=" + uri).orElse("");
    }
}
