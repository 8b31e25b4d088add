package dev.blobshuffle.bench.serving;

import dev.blobshuffle.core.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A key and its self-signed certificate, made by the JDK's keytool, for one run of a benchmark.
 *
 * @param certificate PEM file; its own authority
 * @param key PEM file
 * @param store both, PKCS12, under {@link #ALIAS} and {@link #password()}
 */
record BenchCertificate(Path certificate, Path key, Path store) {
    private static final char[] PASSWORD = "not-a-secret".toCharArray();
    static final String ALIAS = "bench";

    /** It protects nothing: key and store last as long as the run. */
    static char[] password() {
        return PASSWORD.clone();
    }

    static BenchCertificate create(Path directory) throws IOException, InterruptedException {
        Path store = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=bench",
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
            throw new IOException("keytool failed. Use a JDK that has it.");
        }
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD);
            BenchCertificate made =
                    new BenchCertificate(directory.resolve("certificate.pem"), directory.resolve("key.pem"), store);
            write(made.certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
            write(made.key, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD).getEncoded());
            return made;
        } catch (GeneralSecurityException e) {
            throw new IOException("Cannot make a certificate: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    private static void write(Path file, String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        PrivateFiles.write(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
