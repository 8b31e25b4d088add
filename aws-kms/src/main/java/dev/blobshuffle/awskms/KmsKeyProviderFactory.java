package dev.blobshuffle.awskms;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.encryption.KeyProviderFactory;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.KeyEntries;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kms.KmsClient;
import software.amazon.awssdk.services.kms.KmsClientBuilder;

/**
 * Opens {@code aws-kms:///etc/blobshuffle/wrapped-keys?region=eu-central-1}: a file of wrapped keys
 * ({@link KeyEntries}), which AWS KMS decrypts. The SDK finds the region and the credentials in the
 * same places as for S3. Stateless.
 */
public final class KmsKeyProviderFactory implements KeyProviderFactory {
    private static final String REGION = "region";
    private static final String ENDPOINT = "endpoint";
    private static final Set<String> PARAMETERS = Set.of(REGION, ENDPOINT);
    /** Time limit of one request, including the SDK's retries. */
    private static final Duration REQUEST = Duration.ofSeconds(5);

    private static final Duration CALL = Duration.ofSeconds(20);

    /** Called by {@link java.util.ServiceLoader}. */
    public KmsKeyProviderFactory() {}

    @Override
    public String scheme() {
        return "aws-kms";
    }

    @Override
    public KeyProvider open(URI uri) {
        if (uri.getPath() == null || !uri.getPath().startsWith("/") || uri.getRawAuthority() != null) {
            throw refused("it names no file. Give an absolute path with three slashes", null);
        }
        Map<String, String> parameters = parameters(uri);
        Optional<String> region = Optional.ofNullable(parameters.get(REGION));
        Optional<URI> endpoint = endpoint(parameters);
        client(region, endpoint).close(); // Fails now if the region is unknown.
        return new KmsKeyProvider(
                new KeyEntries(Path.of(uri.getPath()), KeyEntries.Form.WRAPPED), () -> client(region, endpoint));
    }

    private static Map<String, String> parameters(URI uri) {
        Map<String, String> parameters = new HashMap<>();
        if (uri.getRawQuery() == null) {
            return parameters;
        }
        for (String pair : uri.getRawQuery().split("&", -1)) {
            String[] parts = pair.split("=", 2);
            if (parts.length < 2 || !PARAMETERS.contains(parts[0])) {
                throw refused(
                        "it has no parameter '" + parts[0] + "'. Known parameters: "
                                + String.join(", ", new TreeSet<>(PARAMETERS)),
                        null);
            }
            parameters.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return parameters;
    }

    /**
     * The endpoint, if one is given. The answer contains a key, so plain HTTP is only for tests on
     * one machine.
     */
    private static Optional<URI> endpoint(Map<String, String> parameters) {
        if (!parameters.containsKey(ENDPOINT)) {
            return Optional.empty();
        }
        URI endpoint;
        try {
            endpoint = URI.create(parameters.get(ENDPOINT));
        } catch (IllegalArgumentException e) {
            throw refused("its endpoint is not a URI. Give for example endpoint=https://host:port", e);
        }
        String host = endpoint.getHost();
        boolean isLoopback = "localhost".equals(host) || "127.0.0.1".equals(host) || "[::1]".equals(host);
        boolean isProtected = "https".equals(endpoint.getScheme()) || "http".equals(endpoint.getScheme()) && isLoopback;
        if (host == null || endpoint.getRawUserInfo() != null || !isProtected) {
            throw refused("its endpoint is not of the form https://host:port", null);
        }
        return Optional.of(endpoint);
    }

    private static KmsClient client(Optional<String> region, Optional<URI> endpoint) {
        KmsClientBuilder builder = KmsClient.builder()
                .httpClientBuilder(
                        Apache5HttpClient.builder().connectionTimeout(REQUEST).socketTimeout(REQUEST))
                .overrideConfiguration(
                        override -> override.apiCallAttemptTimeout(REQUEST).apiCallTimeout(CALL));
        region.map(Region::of).ifPresent(builder::region);
        endpoint.ifPresent(builder::endpointOverride);
        try {
            return builder.build();
        } catch (SdkClientException e) {
            throw refused("no region is known. Add ?region=NAME, or set AWS_REGION", e);
        }
    }

    /** A failure without the URI, because a wrong URI may contain a secret. */
    private static InvalidSettingsException refused(String reason, @Nullable Throwable cause) {
        return new InvalidSettingsException(
                "Cannot open the encryption keys of AWS KMS: " + reason
                        + ". Give blobshuffle.encryption.keys for example as"
                        + " aws-kms:///etc/blobshuffle/wrapped-keys?region=eu-central-1.",
                cause);
    }
}
