package dev.blobshuffle.azure;

import com.azure.core.http.HttpClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.net.URI;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Access to a storage account: its endpoint and credentials. It uses the first available
 * credentials of: {@code AZURE_STORAGE_CONNECTION_STRING}, {@code AZURE_STORAGE_KEY},
 * {@code AZURE_STORAGE_SAS_TOKEN}, the emulator's public key for the emulator's account, and an
 * identity. An identity (managed, of a workload, or of {@code az login}) needs the artifact
 * azure-identity. The credentials are never printed. Immutable.
 */
final class Access {
    /** The emulator's account and its key, which Microsoft publishes. */
    private static final String EMULATOR_ACCOUNT = "devstoreaccount1";

    private static final String EMULATOR_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static final Pattern ACCOUNT_NAME = Pattern.compile("(?:^|;)\\s*AccountName=([^;]*)");
    private static final Pattern TOKEN = Pattern.compile("(?:^|;)\\s*SharedAccessSignature=([^;]*)");
    private static final Pattern ACCOUNT_KEY = Pattern.compile("(?:^|;)\\s*AccountKey=([^;]*)");

    private final String account;
    private final String endpoint;
    private final Map<String, String> environment;

    private Access(String account, String endpoint, Map<String, String> environment) {
        this.account = account;
        this.endpoint = endpoint;
        this.environment = environment;
    }

    /**
     * The access to an account.
     *
     * @param endpoint the service's URL; the account is appended as its path, as emulators and
     *     appliances expect, unless the URL already names the account
     */
    static Access of(String account, Optional<String> endpoint, Map<String, String> environment) {
        return new Access(
                account,
                endpoint.map(url -> endpoint(url, account)).orElse("https://" + account + ".blob.core.windows.net"),
                environment);
    }

    private static String endpoint(String text, String account) {
        try {
            URI url = URI.create(text);
            if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getUserInfo() == null
                    && url.getQuery() == null) {
                String plain = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
                boolean isNamed = url.getHost().startsWith(account + ".") || plain.endsWith("/" + account);
                return isNamed ? plain : plain + "/" + account;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new InvalidSettingsException(
                "Cannot open store az://: parameter endpoint is not the URL of a service. Give for example https://"
                        + account + ".blob.core.windows.net.");
    }

    String endpoint() {
        return endpoint;
    }

    /** Sets the endpoint and the credentials of a builder. */
    BlobContainerClientBuilder apply(BlobContainerClientBuilder builder, HttpClient http) {
        String connection = variable("AZURE_STORAGE_CONNECTION_STRING");
        String key = variable("AZURE_STORAGE_KEY");
        String token = variable("AZURE_STORAGE_SAS_TOKEN");
        try {
            if (!connection.isEmpty()) {
                requireSameAccount(connection);
                requireKey(find(ACCOUNT_KEY, connection));
                find(TOKEN, connection).ifPresent(this::requireToken);
                return builder.connectionString(connection).endpoint(endpoint);
            }
            builder.endpoint(endpoint);
            if (!key.isEmpty()) {
                requireKey(Optional.of(key));
                return builder.credential(new StorageSharedKeyCredential(account, key));
            }
            if (!token.isEmpty()) {
                String plain = token.startsWith("?") ? token.substring(1) : token;
                requireToken(plain);
                return builder.sasToken(plain);
            }
        } catch (IllegalArgumentException e) {
            // The exception's message may contain the secret, so it is not the cause.
            throw new InvalidSettingsException(
                    "Cannot open store az://" + account
                            + ": the credentials in the environment cannot be read. Check AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN for quotes, blanks and line ends.");
        }
        if (account.equals(EMULATOR_ACCOUNT)) {
            return builder.credential(new StorageSharedKeyCredential(account, EMULATOR_KEY));
        }
        return identity(builder, http);
    }

    /** A variable of the environment; empty if it is unset or blank. */
    private String variable(String name) {
        String value = environment.getOrDefault(name, "");
        return value.isBlank() ? "" : value;
    }

    /**
     * Refuses a token that makes no URL. The client would detect it with the first request only,
     * and the store would repeat that.
     */
    private void requireToken(String token) {
        requireSecretWay();
        URI ignored = URI.create(endpoint + "?" + token);
    }

    /**
     * Refuses tokens over plain HTTP, where anyone on the network path could read them. A key only
     * signs requests and is never sent.
     */
    private void requireSecretWay() {
        URI url = URI.create(endpoint);
        if ("http".equals(url.getScheme()) && !isLoopback(url.getHost())) {
            throw new InvalidSettingsException("Cannot open store az://" + account
                    + ": a token would be sent over plain HTTP, where others can read it. Give an endpoint with"
                    + " https, or set AZURE_STORAGE_KEY.");
        }
    }

    /** Whether a host is loopback. Decides by the name only, without a name service. */
    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
    }

    /**
     * Checks the account of a connection string. A string without an account name has a token, and
     * the account is in its endpoint.
     */
    private void requireSameAccount(String connection) {
        find(ACCOUNT_NAME, connection).filter(name -> !name.equals(account)).ifPresent(other -> {
            throw new InvalidSettingsException("Cannot open store az://" + account
                    + ": AZURE_STORAGE_CONNECTION_STRING is for account '" + other
                    + "'. Name the same account in both, or unset the variable.");
        });
    }

    /** Checks the key now. The client would detect a wrong key only with the first request. */
    private static void requireKey(Optional<String> key) {
        key.ifPresent(Base64.getDecoder()::decode);
    }

    private static Optional<String> find(Pattern part, String connection) {
        return part.matcher(connection).results().map(result -> result.group(1)).findFirst();
    }

    private BlobContainerClientBuilder identity(BlobContainerClientBuilder builder, HttpClient http) {
        if (endpoint.startsWith("http://")) {
            throw new InvalidSettingsException(
                    "Cannot open store az://" + account
                            + ": a token would be sent over plain HTTP, where others can read it. Give an endpoint with https, or set AZURE_STORAGE_KEY.");
        }
        try {
            return builder.credential(Identity.credential(http));
        } catch (NoClassDefFoundError e) {
            throw new InvalidSettingsException(
                    "Cannot open store az://" + account
                            + ": the environment holds no key, and com.azure:azure-identity is not on the class path. Set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, or add the artifact.",
                    e);
        }
    }
}
