package dev.blobshuffle.peer;

import dev.blobshuffle.core.files.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A key and its self-signed certificate, which is its own authority, as files that settings name. */
record PemFiles(Path certificate, Path key) {
    private static final char[] PASSWORD = "not-a-secret".toCharArray();

    static PemFiles create(Path directory) throws Exception {
        Files.createDirectories(directory);
        Path store = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "member",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "3650",
                        "-dname",
                        "CN=member",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        store.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!keytool.waitFor(2, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            throw new AssertionError("keytool failed");
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(Files.readAllBytes(store)), PASSWORD);
        PemFiles files = new PemFiles(directory.resolve("certificate.pem"), directory.resolve("key.pem"));
        write(files.certificate, "CERTIFICATE", keys.getCertificate("member").getEncoded());
        write(files.key, "PRIVATE KEY", keys.getKey("member", PASSWORD).getEncoded());
        return files;
    }

    private static void write(Path file, String kind, byte[] bytes) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        PrivateFiles.write(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    PeerTls tls() {
        return PeerTls.read(certificate, key, certificate);
    }
}
