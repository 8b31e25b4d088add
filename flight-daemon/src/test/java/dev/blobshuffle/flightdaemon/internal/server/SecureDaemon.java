package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flight.internal.client.Channels;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.s3sim.TlsIdentity;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of a daemon with TLS, tokens and a ticket key. Immutable. */
final class SecureDaemon {
    /** Token of namespace {@code default}. */
    static final String TOKEN = "0123456789abcdef0123456789abcdef";

    /** Token of namespace {@code other}. */
    static final String OTHER_TOKEN = TOKEN.replace('0', 'x');

    /** The key that signs tickets. */
    static final byte[] KEY = "k".repeat(40).getBytes(StandardCharsets.US_ASCII);

    private final TlsIdentity identity = TlsIdentity.create();
    private final Path files;

    SecureDaemon(Path files) throws IOException {
        this.files = files;
        PrivateFiles.write(files.resolve("certificate.pem"), identity.certificatePem());
        PrivateFiles.write(files.resolve("key.pem"), identity.keyPem());
        secret("tokens", ("default " + TOKEN + "\nother " + OTHER_TOKEN + "\n").getBytes(StandardCharsets.US_ASCII));
        secret("ticket-key", KEY);
    }

    private void secret(String name, byte[] content) throws IOException {
        Files.write(files.resolve(name), content);
        Files.setPosixFilePermissions(files.resolve(name), PosixFilePermissions.fromString("rw-------"));
    }

    TlsIdentity identity() {
        return identity;
    }

    Path certificate() {
        return files.resolve("certificate.pem");
    }

    Security security() {
        return new Security.Tls(certificate(), files.resolve("key.pem"), files.resolve("tokens"));
    }

    FlightConfig config(Path directory) {
        return config(Map.of("default", List.of(directory)));
    }

    FlightConfig config(Map<String, List<Path>> directories) {
        return Daemons.config(directories, security(), Optional.of(files.resolve("ticket-key")));
    }

    ManagedChannel channel(FlightDaemon daemon, String token) {
        return Channels.open("localhost", daemon.port(), Optional.of(certificate()), Optional.of(token));
    }

    FlightShuffles client(FlightDaemon daemon, String token) {
        return FlightShuffles.connect(FlightServer.secure("localhost", daemon.port(), certificate(), token), "default");
    }
}
