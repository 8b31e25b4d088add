package dev.blobshuffle.azure;

import com.azure.core.credential.TokenCredential;
import com.azure.core.http.HttpClient;
import com.azure.identity.DefaultAzureCredentialBuilder;

/**
 * The code that needs the artifact azure-identity. It is separate so that the rest works without
 * the artifact. Stateless.
 */
final class Identity {
    private Identity() {}

    /** The first available identity: of the workload, of the machine, or of a developer's login. */
    static TokenCredential credential(HttpClient http) {
        return new DefaultAzureCredentialBuilder().httpClient(http).build();
    }
}
