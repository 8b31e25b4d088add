package dev.blobshuffle.testkit.servers;

import java.nio.file.Path;
import java.util.List;

/** An Azurite: Azure's blob interface over a directory. What it stores outlives a restart. Thread-safe. */
public final class Azurite extends StoreServer {
    /** The one storage account that the server knows; every Azurite has it. */
    public static final String ACCOUNT = "devstoreaccount1";

    /** The account's key, which is public. */
    public static final String ACCOUNT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private Azurite(Path directory) {
        super("azurite-blob", directory.resolve("azurite.log"), port -> arguments(directory, port));
    }

    /** Starts a server without containers over a directory, which must exist. Skips the test if Azurite is not installed. */
    public static Azurite start(Path directory) {
        return new Azurite(directory);
    }

    /** A connection string as the Azure clients take it. */
    public String connectionString() {
        return "DefaultEndpointsProtocol=http;AccountName=" + ACCOUNT + ";AccountKey=" + ACCOUNT_KEY + ";BlobEndpoint="
                + endpoint() + "/" + ACCOUNT + ";";
    }

    private static List<String> arguments(Path directory, int port) {
        return List.of(
                "--blobHost",
                "127.0.0.1",
                "--blobPort",
                Integer.toString(port),
                "--location",
                directory.resolve("azurite").toString(),
                "--disableTelemetry",
                "--skipApiVersionCheck",
                "--silent");
    }
}
