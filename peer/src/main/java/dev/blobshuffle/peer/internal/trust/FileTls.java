package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with certificates from files. Each side shows a certificate of the same authority, which
 * signs only certificates of members. Names are not compared, because members' addresses change.
 *
 * <p>Each new connection checks whether a file has changed, and then reads all three again. Open
 * connections continue. If the files do not match, for example during a replacement, the previous
 * certificates stay in use. Guarded by this.
 */
final class FileTls implements PeerTls {
    private static final Logger LOG = LoggerFactory.getLogger(FileTls.class);

    private record Contexts(SslContext server, SslContext client) {}

    private final Path certificate;
    private final Path key;
    private final Path trust;
    private List<Object> state;
    private Contexts current;

    /** @throws InvalidSettingsException fatal: a file is unreadable or unusable */
    FileTls(Path certificate, Path key, Path trust) {
        this.certificate = certificate;
        this.key = key;
        this.trust = trust;
        state = state();
        current = load();
    }

    @Override
    public SslContext server() {
        return current().server();
    }

    @Override
    public SslContext client() {
        return current().client();
    }

    private synchronized Contexts current() {
        List<Object> now = state();
        if (!now.equals(state)) {
            state = now; // An unusable state is not tried again until the files change.
            try {
                current = load();
                LOG.info("Using the changed files {}, {} and {} for new connections.", certificate, key, trust);
            } catch (InvalidSettingsException e) {
                LOG.warn("Keeping the previous certificates: {}", e.getMessage());
            }
        }
        return current;
    }

    /**
     * A fingerprint of the files, which changes with them. Kubernetes replaces a link above the
     * files, which also changes the fingerprint.
     */
    private List<Object> state() {
        List<Object> all = new ArrayList<>();
        for (Path file : List.of(certificate, key, trust)) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                all.add(List.of(attributes.lastModifiedTime(), attributes.size(), "" + attributes.fileKey()));
            } catch (IOException e) {
                all.add("missing");
            }
        }
        return all;
    }

    private Contexts load() {
        try {
            PrivateFiles.check(key);
            SslContext server = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .sslProvider(SslProvider.JDK)
                    .trustManager(trust.toFile())
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols("TLSv1.3")
                    .build();
            SslContext client = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .keyManager(certificate.toFile(), key.toFile())
                    .trustManager(trust.toFile())
                    .endpointIdentificationAlgorithm("")
                    .protocols("TLSv1.3")
                    .build();
            return new Contexts(server, client);
        } catch (IllegalArgumentException | IOException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new InvalidSettingsException(
                    "Cannot use the certificates in peer.tls.*: " + cause
                            + ". Give PEM files: a certificate, its key as PKCS#8 without a password, and the authority's certificate.",
                    e);
        }
    }
}
