package dev.blobshuffle.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AzureBlobStoreProviderTest {
    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    @ParameterizedTest
    @CsvSource({
        "az:///container, not the name of a storage account",
        "az://my-account/container, not the name of a storage account",
        "az://account, not the name of a container",
        "az://account/Container, not the name of a container",
        "az://account/a--b, not the name of a container",
        "az://account/$root, not the name of a container",
        "az://account/container/a/../b, '..'",
        "az://account/container?endpiont=http://localhost:1, The nearest is 'endpoint'",
        "az://account/container?endpoint=localhost:1, parameter endpoint",
        "az://account/container?endpoint=http://localhost:1?sig=secret, parameter endpoint",
        "az://account/container?checksum=sha1, 'sha1'",
        "az://account/container?endpoint=http://localhost:1, plain HTTP"
    })
    void aWrongUriSaysWhatIsWrong(String uri, String part) {
        refused(uri, Map.of(), part);
    }

    @Test
    void credentialsThatCannotBeMeantAreRefusedAndNotShown() {
        String uri = "az://account/container";
        refused(uri, Map.of("AZURE_STORAGE_KEY", "not base 64, a secret!"), "cannot be read");
        refused(uri, Map.of("AZURE_STORAGE_CONNECTION_STRING", "a secret"), "cannot be read");
        refused(
                uri,
                Map.of("AZURE_STORAGE_CONNECTION_STRING", "AccountName=other;AccountKey=c2VjcmV0"),
                "is for account 'other'");
        refused(uri, Map.of("AZURE_STORAGE_SAS_TOKEN", "sig=\"secret\""), "cannot be read");
        refused(uri, Map.of("AZURE_STORAGE_SAS_TOKEN", "sig=secret\n"), "cannot be read");
        refused(
                uri,
                Map.of(
                        "AZURE_STORAGE_CONNECTION_STRING",
                        "BlobEndpoint=https://account.blob.core.windows.net;SharedAccessSignature=sig=se cret"),
                "cannot be read");
    }

    /** Kubernetes sets a variable for a key that a secret lacks, with an empty value. */
    @ParameterizedTest
    @ValueSource(strings = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"})
    void anEmptyVariableIsNoCredential(String variable) {
        String uri = "az://account/container?endpoint=http://storage.example";
        refused(uri, Map.of(variable, ""), "set AZURE_STORAGE_KEY");
        refused(uri, Map.of(variable, " "), "set AZURE_STORAGE_KEY");
    }

    @Test
    void aTokenIsNotSentOverPlainHttp() {
        String uri = "az://account/container?endpoint=http://storage.example";
        refused(uri, Map.of("AZURE_STORAGE_SAS_TOKEN", "sig=secret"), "plain HTTP");
        refused(
                uri,
                Map.of(
                        "AZURE_STORAGE_CONNECTION_STRING",
                        "BlobEndpoint=https://account.blob.core.windows.net;SharedAccessSignature=sig=secret"),
                "plain HTTP");
        refused(uri, Map.of(), "plain HTTP");
        refused(
                "az://account/container?endpoint=http://127.0.0.1.example",
                Map.of("AZURE_STORAGE_SAS_TOKEN", "sig=secret"),
                "plain HTTP");
    }

    @Test
    void aTokenThatMakesNoUrlIsNotShownByAnyCause() {
        String url = "http://localhost:1/container/blob?sig=secret\"";
        try (AzureHttpClient http = new AzureHttpClient(HttpLimits.OF_A_BUCKET, time)) {
            assertThatThrownBy(() -> http.sendSync(new HttpRequest(HttpMethod.GET, url), Context.NONE))
                    .hasMessageContaining("AZURE_STORAGE_SAS_TOKEN")
                    .satisfies(failure -> {
                        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                            assertThat(cause.toString()).doesNotContain("secret");
                        }
                    });
        }
    }

    /** The server accepts the connection and never reads. */
    @Test
    @Timeout(180)
    void aServerThatDoesNotReadHoldsNoWriterBeyondTheLimit() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                AzureHttpClient http =
                        new AzureHttpClient(HttpLimits.OF_A_BUCKET.withRequest(Duration.ofMillis(300)), time)) {
            HttpRequest request = new HttpRequest(
                            HttpMethod.PUT, "http://127.0.0.1:" + server.getLocalPort() + "/container/blob")
                    .setBody(BinaryData.fromBytes(new byte[32 << 20]));
            assertThatThrownBy(() -> http.sendSync(request, Context.NONE)).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void theEndpointNamesTheAccountOnce() {
        assertThat(endpoint(null)).isEqualTo("https://account.blob.core.windows.net");
        assertThat(endpoint("https://account.blob.core.chinacloudapi.cn/"))
                .isEqualTo("https://account.blob.core.chinacloudapi.cn");
        assertThat(endpoint("http://127.0.0.1:10000")).isEqualTo("http://127.0.0.1:10000/account");
        assertThat(endpoint("http://127.0.0.1:10000/account")).isEqualTo("http://127.0.0.1:10000/account");
    }

    private static String endpoint(String given) {
        return Access.of("account", Optional.ofNullable(given), Map.of()).endpoint();
    }

    private void refused(String uri, Map<String, String> environment, String part) {
        assertThatThrownBy(() ->
                        AzureBlobStoreProvider.open(StoreUri.parse(uri), StoreContext.unmetered(time), environment))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(part)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("secret"));
    }
}
