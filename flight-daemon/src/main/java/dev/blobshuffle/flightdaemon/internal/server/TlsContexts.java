package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Creates the daemon's TLS contexts. Stateless. */
final class TlsContexts {
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----");

    /** How keys of an algorithm sign. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private TlsContexts() {}

    /**
     * A context with the daemon's certificate.
     *
     * @param protocol adds the settings of the protocol above TLS
     * @throws InvalidSettingsException fatal: certificate or key is unusable
     */
    static SslContext of(FlightConfig.Security.Tls tls, UnaryOperator<SslContextBuilder> protocol) {
        try {
            PrivateFiles.check(tls.key());
            SslContext context = protocol.apply(SslContextBuilder.forServer(
                            tls.certificate().toFile(), tls.key().toFile()))
                    .build();
            if (!isPair(tls)) {
                throw new InvalidSettingsException(
                        "Cannot use certificate " + tls.certificate() + " with key " + tls.key()
                                + ": the key is another certificate's, so no client could connect."
                                + " Give the two that belong together.");
            }
            return context;
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "Cannot use certificate " + tls.certificate() + " with key " + tls.key() + ": " + e.getMessage()
                            + ". Give PEM files, the key in PKCS#8.",
                    e);
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot read " + tls.key() + ": " + e + ". Give a PEM file.", e);
        }
    }

    /**
     * Says whether what the key signs is valid for the certificate, which TLS does not check. True
     * if the files have other forms of PEM than these.
     */
    private static boolean isPair(FlightConfig.Security.Tls tls) throws IOException {
        Matcher certificate = CERTIFICATE.matcher(text(tls.certificate()));
        Matcher key = KEY.matcher(text(tls.key()));
        if (!certificate.find() || !key.find()) {
            return true;
        }
        try {
            PublicKey certified = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(decoded(certificate)))
                    .getPublicKey();
            String algorithm = SIGNATURES.get(certified.getAlgorithm());
            return algorithm == null || isPair(algorithm, certified, decoded(key));
        } catch (GeneralSecurityException e) {
            // The key is of another algorithm than the certificate.
            return false;
        }
    }

    private static boolean isPair(String algorithm, PublicKey certified, byte[] key) throws GeneralSecurityException {
        KeyFactory keys = KeyFactory.getInstance(certified.getAlgorithm());
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(keys.generatePrivate(new PKCS8EncodedKeySpec(key)));
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        return signature.verify(signed);
    }

    /** Any bytes are text: PEM allows others around its blocks. */
    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static byte[] decoded(Matcher block) {
        return Base64.getMimeDecoder().decode(block.group(1));
    }
}
