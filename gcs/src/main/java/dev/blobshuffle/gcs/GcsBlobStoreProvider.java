package dev.blobshuffle.gcs;

import com.google.auth.Credentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Storage;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.http.internal.HttpVersion;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Opens {@code gs://bucket/prefix}. The parameters are {@code endpoint} (another compatible
 * service), {@code project} (requests for objects need none), {@code checksum} ({@code crc32c} or
 * {@code none}) and {@code credentials}. The credentials are {@code default} (Google's application
 * default credentials) or {@code none}. Over plain HTTP the default is {@code none}, because others
 * could read a token on the way. Stateless.
 */
public final class GcsBlobStoreProvider implements BlobStoreProvider {
    private static final List<StoreParameter> PARAMETERS = List.of(
            new StoreParameter(
                    "endpoint",
                    "https://storage.googleapis.com",
                    "another service with the same interface, a private endpoint, an emulator"),
            new StoreParameter(
                    "credentials",
                    "default; none over http",
                    "`default`: Google's application default credentials (key file, login, workload identity); `none` for an emulator, and over `http://`, where a token could be read"),
            new StoreParameter(
                    "checksum", "crc32c", "the checksum that the service verifies uploads with: `crc32c` or `none`"),
            new StoreParameter("project", "none", "sent with requests; requests for objects need none"));

    /** Called by the service loader. */
    public GcsBlobStoreProvider() {}

    @Override
    public String scheme() {
        return "gs";
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        HttpVersion.requireSupported(scheme(), "com.google.cloud:google-cloud-storage", Storage.class);
        uri.requireKnown(PARAMETERS);
        if (uri.authority().isEmpty()) {
            throw invalid("it names no bucket", "Give gs://bucket/prefix");
        }
        KeyPrefix prefix = KeyPrefix.of(uri);
        GcsChecksum checksum = GcsChecksum.of(uri.parameter("checksum").orElse("crc32c"));
        Optional<String> endpoint = uri.parameter("endpoint").map(GcsBlobStoreProvider::endpoint);
        GcsClient client = new GcsClient(HttpLimits.OF_A_BUCKET, context.time());
        try {
            var storage = client.storage(credentials(uri, endpoint, client), endpoint, uri.parameter("project"));
            return BucketBlobStore.open(
                    new GcsBucket(storage, uri.authority(), checksum, client::close), prefix, context);
        } catch (RuntimeException | Error e) {
            client.close();
            throw e;
        }
    }

    private static String endpoint(String text) {
        try {
            URI endpoint = URI.create(text);
            if (("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
                    && endpoint.getHost() != null
                    && endpoint.getUserInfo() == null
                    && endpoint.getQuery() == null) {
                return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw invalid(
                "parameter endpoint is not the URL of a service", "Give for example https://storage.googleapis.com");
    }

    private static Credentials credentials(StoreUri uri, Optional<String> endpoint, GcsClient client) {
        boolean isPlain = endpoint.filter(url -> url.startsWith("http://")).isPresent();
        String kind = uri.parameter("credentials").orElse(isPlain ? "none" : "default");
        if (kind.equals("none")) {
            return NoCredentials.getInstance();
        }
        if (!kind.equals("default")) {
            throw invalid("parameter credentials is '" + kind + "'", "Give default or none");
        }
        if (isPlain) {
            throw invalid(
                    "credentials would be sent over plain HTTP, where others can read them",
                    "Give an endpoint with https, or credentials=none");
        }
        return credentials(uri.authority(), () -> GoogleCredentials.getApplicationDefault(client::transport));
    }

    /** Loads credentials. */
    interface Source {
        Credentials load() throws IOException;
    }

    /** Loads credentials, or throws the client's reason with a remedy. */
    static Credentials credentials(String bucket, Source source) {
        try {
            return source.load();
        } catch (IOException | RuntimeException e) {
            throw new InvalidSettingsException(
                    "Cannot open store gs://" + bucket + ": there are no credentials, since " + reason(e)
                            + ". Set GOOGLE_APPLICATION_CREDENTIALS to a key file, run `gcloud auth application-default login`, or give the workload a service account.",
                    e);
        }
    }

    /** The first sentence of the client's message. It names places and fields, and no values. */
    private static String reason(Exception e) {
        String line = String.valueOf(e.getMessage())
                .lines()
                .findFirst()
                .orElse(e.toString())
                .strip();
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }

    private static InvalidSettingsException invalid(String reason, String remedy) {
        return new InvalidSettingsException("Cannot open store gs://: " + reason + ". " + remedy + ".");
    }
}
