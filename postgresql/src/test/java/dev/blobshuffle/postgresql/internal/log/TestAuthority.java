package dev.blobshuffle.postgresql.internal.log;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority that signs certificates, made by the JDK's {@code keytool}. Keeps its files in a
 * directory of the test. Owned by one thread.
 */
final class TestAuthority {
    private static final String PASSWORD = "not-a-secret";
    private static final String ROOT = "root";

    private final Path directory;
    private final Path keys;

    TestAuthority(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        keys = directory.resolve("keys.p12");
        keytool(ROOT, List.of("-dname", "CN=Test authority", "-ext", "bc:c"));
    }

    /** The authority's own certificate. */
    Path root() throws IOException {
        return Files.writeString(directory.resolve("root.pem"), certificate(ROOT));
    }

    /** Makes a key and a certificate for it. */
    void sign(String alias, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("-signer", ROOT));
        all.addAll(List.of(options));
        keytool(alias, all);
    }

    /** A certificate in PEM. */
    String certificate(String alias) throws IOException {
        try {
            return pem("CERTIFICATE", store().getCertificate(alias).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException("Cannot read a certificate: " + e.getMessage() + ".", e);
        }
    }

    /** A key in PEM, as a server reads it. */
    String key(String alias) throws IOException {
        return pem("PRIVATE KEY", keyBytes(alias));
    }

    /** A key in PKCS#8, DER. */
    byte[] keyBytes(String alias) throws IOException {
        try {
            return store().getKey(alias, PASSWORD.toCharArray()).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IOException("Cannot read a key: " + e.getMessage() + ".", e);
        }
    }

    private KeyStore store() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(keys)) {
            store.load(file, PASSWORD.toCharArray());
        }
        return store;
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    private void keytool(String alias, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                keys.toString()));
        command.addAll(options);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool failed and printed:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
