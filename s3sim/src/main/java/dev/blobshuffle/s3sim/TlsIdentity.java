package dev.blobshuffle.s3sim;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key with a self-signed certificate for {@code localhost}, {@code *.localhost} and 127.0.0.1.
 * The JDK's {@code keytool} creates it, which takes a second or two. Kept in memory only.
 * Immutable.
 */
public final class TlsIdentity {
    private static final char[] PASSWORD = "not-a-secret".toCharArray();
    private static final String ALIAS = "s3sim";
    private static final long PATIENCE_SECONDS = 120;

    private final KeyStore keys;
    private final KeyStore trust;

    private TlsIdentity(KeyStore keys, KeyStore trust) {
        this.keys = keys;
        this.trust = trust;
    }

    /** Creates a new identity. Blocks. */
    public static TlsIdentity create() {
        try {
            Path directory = Files.createTempDirectory("s3sim-tls");
            Path file = directory.resolve("keys.p12");
            try {
                generate(file);
                return of(Files.readAllBytes(file));
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make a key for TLS", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot make a key for TLS: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /** Reads an identity written by {@link #write}. */
    public static TlsIdentity read(Path file) {
        try {
            return of(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read key store " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot use key store " + file + ": " + e.getMessage() + ".", e);
        }
    }

    private static void generate(Path file) throws IOException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "3650",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,dns:*.localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!keytool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                keytool.destroyForcibly();
                throw new IOException("keytool failed. Use a JDK or JRE that has it.");
            }
        } catch (InterruptedException e) {
            keytool.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran", e);
        }
    }

    private static TlsIdentity of(byte[] bytes) throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(bytes), PASSWORD);
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, PASSWORD);
        trust.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
        return new TlsIdentity(keys, trust);
    }

    SSLContext serverContext() {
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot use a key for TLS: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /** A context for clients that trusts only this identity. */
    public SSLContext clientContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot trust a key for TLS: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /** Trust managers for clients that trust only this identity. */
    public TrustManager[] trustManagers() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trust);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot trust a key for TLS: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /**
     * A context for servers and clients that authenticate each other with this identity and trust
     * no other.
     */
    public SSLContext mutualContext() {
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), trustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot use a key for TLS: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /**
     * The private key in PEM form, for servers that read files. It protects nothing, because it is
     * for tests.
     */
    public String keyPem() {
        try {
            return pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot encode a key: " + e.getMessage() + ". Use another JDK.", e);
        }
    }

    /** The certificate in PEM form, for clients that read files. */
    public String certificatePem() {
        try {
            return pem("CERTIFICATE", trust.getCertificate(ALIAS).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot encode a certificate: " + e.getMessage() + ".", e);
        }
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    /**
     * Writes key and certificate (PKCS12) for {@link #read} in another process. They protect
     * nothing, because they are for tests.
     */
    public void write(Path file) {
        try (var out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write key store " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot write key store " + file + ": " + e.getMessage() + ".", e);
        }
    }

    /**
     * Writes the trust store (PKCS12) for a JVM that is started with
     * {@code javax.net.ssl.trustStore}.
     *
     * @param password of the trust store; its content is not secret
     */
    public void writeTrustStore(Path file, String password) {
        try (var out = Files.newOutputStream(file)) {
            trust.store(out, password.toCharArray());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write trust store " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot write trust store " + file + ": " + e.getMessage() + ".", e);
        }
    }
}
