package dev.blobshuffle.azure;

import com.azure.storage.blob.BlobContainerClient;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates containers in an Azurite. It keeps no state but their names. */
final class AzureTestContainer {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private AzureTestContainer() {}

    /** Creates an empty container and returns its name. */
    static String make(Azurite server) {
        String name = "container-" + COUNT.incrementAndGet();
        server.makeContainer(name);
        return name;
    }

    static BlobContainerClient client(Azurite server, String name, AzureHttpClient http) {
        return AzureBlobStoreProvider.builder(http)
                .connectionString(server.connectionString())
                .containerName(name)
                .buildClient();
    }

    /** The URI of a store in a container. */
    static String uri(Azurite server, String container, String prefix) {
        return "az://" + Azurite.ACCOUNT + "/" + container + prefix + "?endpoint=" + server.endpoint();
    }
}
