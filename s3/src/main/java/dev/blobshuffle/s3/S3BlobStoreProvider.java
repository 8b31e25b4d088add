package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.http.internal.HttpVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Opens {@code s3://bucket/prefix} with the parameters {@code region}, {@code endpoint},
 * {@code path-style} ({@code true}), {@code checksum} ({@code crc32c}, {@code md5}, {@code none}),
 * {@code sse}, {@code sse-kms-key} and {@code connections}. The AWS SDK finds everything else
 * (region, credentials, proxy, trust) in its usual places. Stateless.
 */
public final class S3BlobStoreProvider implements BlobStoreProvider {
    private static final String REGION = "region";
    private static final String ENDPOINT = "endpoint";
    private static final String PATH_STYLE = "path-style";
    private static final String CHECKSUM = "checksum";
    private static final String SSE = "sse";
    private static final String SSE_KMS_KEY = "sse-kms-key";
    private static final String CONNECTIONS = "connections";
    private static final List<StoreParameter> PARAMETERS = List.of(
            new StoreParameter(
                    REGION,
                    "as the AWS SDK finds it",
                    "region of the bucket; with an `endpoint`, the region that this store signs with (else `us-east-1`)"),
            new StoreParameter(ENDPOINT, "AWS", "another S3 store, or an interface endpoint: `https://host:port`"),
            new StoreParameter(
                    PATH_STYLE,
                    "false",
                    "`true`: the bucket in the path instead of the host name; most other stores need it"),
            new StoreParameter(
                    CHECKSUM,
                    "crc32c",
                    "the checksum that the store verifies uploads with: `crc32c`, `md5` for older stores (takes more CPU), `none`; without `crc32c`, each blob is deleted by its own request"),
            new StoreParameter(
                    SSE,
                    "as configured for the bucket",
                    "`AES256`, `aws:kms` or `aws:kms:dsse`; use KMS with bucket keys, else each request is one to KMS too"),
            new StoreParameter(SSE_KMS_KEY, "as configured for the bucket", "the key of KMS"),
            new StoreParameter(
                    CONNECTIONS,
                    "64",
                    "the maximum of concurrent requests, 8 to 1024, a third of which may write blobs; the decorators let 52 through"));

    @Override
    public String scheme() {
        return "s3";
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        requireVersions();
        S3Settings settings = settings(uri);
        return S3BlobStoreBuilder.open(
                settings, Optional.empty(), S3Clients.requests(settings, S3Timeouts.DEFAULT, context.time()), context);
    }

    @Override
    public NamedBlobs openNamed(StoreUri uri, StoreContext context) {
        requireVersions();
        S3Settings settings = settings(uri);
        settings.warnIfExposed();
        return new S3NamedBlobs(settings, context);
    }

    private void requireVersions() {
        HttpVersion.requireSupported(scheme(), "software.amazon.awssdk:s3", S3Client.class);
    }

    static S3Settings settings(StoreUri uri) {
        uri.requireKnown(PARAMETERS);
        return new S3Settings(
                uri.authority(),
                KeyPrefix.of(uri),
                uri.parameter(REGION),
                uri.parameter(ENDPOINT).map(S3BlobStoreProvider::endpoint),
                uri.parameter(PATH_STYLE).map(S3BlobStoreProvider::flag).orElse(false),
                uri.parameter(CHECKSUM).map(S3BlobStoreProvider::checksum).orElse(RequestChecksum.CRC32C),
                encryption(uri.parameter(SSE), uri.parameter(SSE_KMS_KEY)),
                uri.parameter(CONNECTIONS)
                        .map(S3BlobStoreProvider::connections)
                        .orElse(S3Settings.DEFAULT_CONNECTIONS));
    }

    private static URI endpoint(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new InvalidSettingsException("Cannot open store s3://: parameter " + ENDPOINT + " is not a URI: "
                    + e.getReason() + ". Give for example endpoint=https://minio.example.com:9000.");
        }
    }

    private static boolean flag(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw invalid(PATH_STYLE, text, "true or false");
    }

    private static RequestChecksum checksum(String text) {
        for (RequestChecksum checksum : RequestChecksum.values()) {
            if (checksum.name().toLowerCase(Locale.ROOT).equals(text)) {
                return checksum;
            }
        }
        throw invalid(CHECKSUM, text, "crc32c, md5 or none");
    }

    private static Optional<ServerSideEncryption> encryption(Optional<String> algorithm, Optional<String> kmsKey) {
        if (algorithm.isEmpty()) {
            return kmsKey.map(key -> new ServerSideEncryption("aws:kms", kmsKey));
        }
        if (!List.of("AES256", "aws:kms", "aws:kms:dsse").contains(algorithm.get())) {
            throw invalid(SSE, algorithm.get(), "AES256, aws:kms or aws:kms:dsse");
        }
        if (kmsKey.isPresent() && algorithm.get().equals("AES256")) {
            throw new InvalidSettingsException("Cannot open store s3://: parameter " + SSE_KMS_KEY
                    + " does not go with " + SSE + "=AES256. Leave one of them out.");
        }
        return Optional.of(new ServerSideEncryption(algorithm.get(), kmsKey));
    }

    private static int connections(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw invalid(CONNECTIONS, text, "a number");
        }
    }

    private static InvalidSettingsException invalid(String name, String value, String remedy) {
        return new InvalidSettingsException(
                "Cannot open store s3://: parameter " + name + " is '" + value + "'. Give " + remedy + ".");
    }
}
