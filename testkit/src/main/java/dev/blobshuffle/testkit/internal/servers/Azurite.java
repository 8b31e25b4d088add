package dev.blobshuffle.testkit.internal.servers;

import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * An Azurite server: Azure's blob interface over a directory. Stored blobs survive a restart,
 * except those of the last seconds, because Azurite saves its metadata at intervals. Thread-safe.
 */
public final class Azurite extends StoreServer {
    private static final InstalledServer INSTALLED = InstalledServer.named("azurite", "node_modules/.bin/azurite-blob");

    /** The one storage account that the server knows; every Azurite has it. */
    public static final String ACCOUNT = "devstoreaccount1";

    /** The account's key, which is public. */
    public static final String ACCOUNT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static final String VERSION = "2021-12-02";

    private static @Nullable Azurite shared; // guarded by the class

    private Azurite(Path directory) {
        super(INSTALLED, directory.resolve("azurite.log"), port -> arguments(directory, port));
    }

    /**
     * Starts a server without containers over a directory, which must exist. Skips the test if
     * Azurite is not installed.
     */
    public static Azurite start(Path directory) {
        return new Azurite(directory);
    }

    /** A connection string as the Azure clients take it. */
    public String connectionString() {
        return "DefaultEndpointsProtocol=http;AccountName=" + ACCOUNT + ";AccountKey=" + ACCOUNT_KEY + ";BlobEndpoint="
                + endpoint() + "/" + ACCOUNT + ";";
    }

    /**
     * The server that everything in this JVM shares, started by the first call. It ends with the
     * JVM, and {@link #close} has no effect on it; it cannot be killed or paused. Choose names of
     * your own for containers. Skips the test if the server is not installed.
     */
    public static synchronized Azurite shared() {
        if (shared == null) {
            INSTALLED.require();
            Path directory = SharedDirectory.create();
            Azurite started = start(directory);
            started.share(directory);
            shared = started;
        }
        return shared;
    }

    /** Makes a container. */
    public void makeContainer(String name) {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
        String path = "/" + ACCOUNT + "/" + name;
        // The eleven standard headers that a signature is over have no value.
        String signed = "PUT" + "\n".repeat(12) + "x-ms-date:" + date + "\nx-ms-version:" + VERSION + "\n/" + ACCOUNT
                + path + "\nrestype:container";
        StoreRequest.send(HttpRequest.newBuilder(endpoint().resolve(path + "?restype=container"))
                .header("x-ms-date", date)
                .header("x-ms-version", VERSION)
                .header("Authorization", "SharedKey " + ACCOUNT + ":" + signature(signed))
                .PUT(HttpRequest.BodyPublishers.noBody()));
    }

    private static String signature(String signed) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(ACCOUNT_KEY), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot sign a request: this JVM has no HmacSHA256. Use another one.", e);
        }
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
