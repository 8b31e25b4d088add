package dev.blobshuffle.azure;

import com.azure.core.credential.TokenCredential;
import com.azure.core.http.HttpClient;
import com.azure.identity.DefaultAzureCredentialBuilder;

/** What needs the artifact azure-identity, apart from the rest so that the rest works without. Stateless. */
final class Identity {
    private Identity() {}

    /** The workload's identity, the machine's, or that of a developer's login, whichever there is. */
    static TokenCredential credential(HttpClient http) {
        return new DefaultAzureCredentialBuilder().httpClient(http).build();
    }
}
