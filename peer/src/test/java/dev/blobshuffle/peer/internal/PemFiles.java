package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.peer.internal.trust.PeerTls;
import dev.blobshuffle.s3sim.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A key and its self-signed certificate, which is its own authority, as files that settings name.
 */
public record PemFiles(Path certificate, Path key) {
    public static PemFiles create(Path directory) throws IOException {
        Files.createDirectories(directory);
        TlsIdentity identity = TlsIdentity.create();
        PemFiles files = new PemFiles(directory.resolve("certificate.pem"), directory.resolve("key.pem"));
        PrivateFiles.write(files.certificate, identity.certificatePem());
        PrivateFiles.write(files.key, identity.keyPem());
        return files;
    }

    PeerTls tls() {
        return PeerTls.read(certificate, key, certificate);
    }
}
