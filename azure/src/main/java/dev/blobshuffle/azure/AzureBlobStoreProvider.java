package dev.blobshuffle.azure;

import com.azure.core.util.ClientOptions;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
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
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Opens {@code az://account/container/prefix}. The parameters are {@code endpoint} (instead of
 * {@code https://ACCOUNT.blob.core.windows.net}) and {@code checksum} ({@code md5}, {@code crc64}
 * or {@code none}). The URI includes the account because a container's name is unique only within
 * its account. Credentials come from the same environment variables as for the {@code az} command:
 * {@link Access}. Stateless.
 */
public final class AzureBlobStoreProvider implements BlobStoreProvider {
    private static final Pattern ACCOUNT = Pattern.compile("[a-z0-9]{3,24}");

    /** Excludes $root, where names may not contain slashes. */
    private static final Pattern CONTAINER = Pattern.compile("(?=.{3,63}$)[a-z0-9](-?[a-z0-9])+");

    private static final List<StoreParameter> PARAMETERS = List.of(
            new StoreParameter(
                    "endpoint",
                    "https://ACCOUNT.blob.core.windows.net",
                    "the endpoint of another cloud, or a private one; for an emulator, the account is appended as the path: `http://127.0.0.1:10000`"),
            new StoreParameter(
                    "checksum",
                    "md5",
                    "the checksum that the service verifies uploads with: `md5`, `none`, or `crc64`, which takes half the CPU time (1.2 instead of 2.3 s per GiB), but emulators refuse it"));

    /** Called by the service loader. */
    public AzureBlobStoreProvider() {}

    @Override
    public String scheme() {
        return "az";
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        HttpVersion.requireSupported(scheme(), "com.azure:azure-storage-blob", BlobContainerClient.class);
        return open(uri, context, System.getenv());
    }

    static BlobStore open(StoreUri uri, StoreContext context, Map<String, String> environment) {
        uri.requireKnown(PARAMETERS);
        String account = uri.authority();
        String path = uri.path().startsWith("/") ? uri.path().substring(1) : uri.path();
        int slash = path.indexOf('/');
        String container = slash < 0 ? path : path.substring(0, slash);
        if (!ACCOUNT.matcher(account).matches()) {
            throw invalid("'" + account + "' is not the name of a storage account");
        }
        if (!CONTAINER.matcher(container).matches()) {
            throw invalid("'" + container + "' is not the name of a container");
        }
        KeyPrefix prefix = KeyPrefix.of(
                new StoreUri(uri.scheme(), account, slash < 0 ? "" : path.substring(slash), uri.parameters()));
        AzureChecksum checksum = AzureChecksum.of(uri.parameter("checksum").orElse("md5"));
        AzureHttpClient http = new AzureHttpClient(HttpLimits.OF_A_BUCKET, context.time());
        try {
            Access access = Access.of(account, uri.parameter("endpoint"), environment);
            BlobContainerClient client =
                    access.apply(builder(http), http).containerName(container).buildClient();
            return BucketBlobStore.open(
                    new AzureBucket(client, checksum, Body.BUFFERS, context.time(), http::close), prefix, context);
        } catch (RuntimeException | Error e) {
            http.close();
            throw e;
        }
    }

    /** A builder of clients that send each request once, because decorators of the store retry. */
    static BlobContainerClientBuilder builder(AzureHttpClient http) {
        return new BlobContainerClientBuilder()
                .httpClient(http)
                .clientOptions(new ClientOptions().setApplicationId("blobshuffle"))
                .retryOptions(sendOnce());
    }

    // null means the client's default, which a single try never requests.
    @SuppressWarnings("NullAway")
    private static RequestRetryOptions sendOnce() {
        return new RequestRetryOptions(RetryPolicyType.FIXED, 1, (Integer) null, null, null, null);
    }

    static InvalidSettingsException invalid(String reason) {
        return new InvalidSettingsException("Cannot open store az://: " + reason
                + ". Give az://account/container/prefix, for example az://books/shuffle.");
    }
}
