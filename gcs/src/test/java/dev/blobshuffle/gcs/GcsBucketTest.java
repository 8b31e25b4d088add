package dev.blobshuffle.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.auth.Credentials;
import com.google.auth.oauth2.ServiceAccountCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Storage;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import dev.blobshuffle.testkit.internal.servers.StubService;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the requests that the bucket sends and how it interprets answers. */
class GcsBucketTest {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SystemTime time = new SystemTime();
    private final GcsClient client = new GcsClient(HttpLimits.OF_A_BUCKET.withSilence(Duration.ofSeconds(30)), time);
    private StubService service;

    @BeforeEach
    void start() {
        service = StubService.start();
        answerWith(200, "{\"bucket\":\"bucket\",\"name\":\"key\"}");
    }

    @AfterEach
    void stop() {
        client.close();
        time.close();
        service.close();
    }

    /** The server accepts the connection and never reads. */
    @Test
    @Timeout(180)
    void aServerThatDoesNotReadHoldsNoWriterBeyondTheLimit() throws Exception {
        TrackedContent content = loans.content(new byte[32 << 20]);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                GcsClient hasty = new GcsClient(HttpLimits.OF_A_BUCKET.withRequest(Duration.ofMillis(300)), time)) {
            Storage storage = hasty.storage(
                    NoCredentials.getInstance(),
                    Optional.of("http://127.0.0.1:" + server.getLocalPort()),
                    Optional.empty());
            GcsBucket bucket = new GcsBucket(storage, "bucket", GcsChecksum.NONE, () -> {});
            assertThatThrownBy(() -> bucket.put("key", content)).isExactlyInstanceOf(StoreUnavailableException.class);
        } finally {
            content.release();
        }
    }

    @Test
    void aPutIsOneRequestThatIsNotCompressedAndCarriesTheChecksum() {
        put(bucket(GcsChecksum.CRC32C));
        assertThat(service.requests()).hasSize(1);
        StubService.Request request = service.requests().get(0);
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.uri()).startsWith("/upload/storage/v1/b/bucket/o").contains("uploadType=multipart");
        assertThat(request.headers()).doesNotContainKey("Content-encoding").doesNotContainKey("Authorization");
        assertThat(request.headers().getFirst("User-agent")).startsWith("blobshuffle");
        assertThat(request.body())
                .contains("a piece and another")
                .contains("\"name\":\"key\"")
                .contains("\"crc32c\":\"");
        put(bucket(GcsChecksum.NONE));
        assertThat(service.requests().get(1).body()).doesNotContain("crc32c");
    }

    @Test
    void requestsOfAllKindsShareAConnection() {
        GcsBucket bucket = bucket(GcsChecksum.CRC32C);
        put(bucket);
        answerWith(200, "0123456789");
        for (int i = 0; i < 3; i++) {
            assertThat(bucket.get("key", 0, 10).orElseThrow().remaining()).isEqualTo(10);
        }
        answerWith(404, "{\"error\":{\"code\":404,\"message\":\"no\"}}");
        assertThat(bucket.get("key", 0, 10)).isEmpty();
        assertThat(bucket.length("key")).isEmpty();
        assertThat(service.requests())
                .hasSize(6)
                .extracting(StubService.Request::clientPort)
                .containsOnly(service.requests().get(0).clientPort());
    }

    @Test
    void theChecksumIsTheOneThatTheServiceComputes() {
        // E3069283 is the CRC-32C check value of the digits 1 to 9.
        TrackedContent content = loans.content("1234".getBytes(), "56789".getBytes());
        assertThat(GcsChecksum.crc32c(content)).isEqualTo("4waSgw==");
        content.release();
    }

    @ParameterizedTest
    @CsvSource({
        "401, authError, StoreRefusedException, GOOGLE_APPLICATION_CREDENTIALS",
        "403, forbidden, StoreRefusedException, roles/storage.objectUser",
        "403, rateLimitExceeded, StoreThrottledException, batch.max.bytes",
        "404, notFound, StoreRefusedException, Create bucket",
        "429, rateLimitExceeded, StoreThrottledException, batch.max.bytes",
        "503, backendError, StoreThrottledException, batch.max.bytes",
        "500, internalError, StoreUnavailableException, status page",
        "408, , StoreUnavailableException, status page",
        "400, invalid, StoreRefusedException, Check the name",
    })
    void anAnswerBecomesTheFailureThatSaysWhatToDo(int status, String reason, String type, String remedy) {
        answerWith(
                status,
                "{\"error\":{\"code\":" + status
                        + ",\"message\":\"no\",\"errors\":[{\"domain\":\"global\",\"reason\":\"" + reason
                        + "\",\"message\":\"no\"}]}}");
        GcsBucket bucket = bucket(GcsChecksum.CRC32C);
        assertThatThrownBy(() -> put(bucket))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("Cannot write key to gs://bucket: HTTP " + status)
                .hasMessageContaining(remedy)
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
        // Retries belong to a decorator, so the client makes none.
        assertThat(service.requests()).hasSize(1);
        if (status != 404) {
            assertThatThrownBy(() -> bucket.get("key", 0, 10))
                    .satisfies(failure ->
                            assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
            assertThat(service.requests()).hasSize(2);
        }
    }

    @Test
    void aRefusedChecksumMayDoBetterNextTime() {
        answerWith(
                400,
                "{\"error\":{\"code\":400,\"message\":\"Provided CRC32C \\\"x\\\" doesn't match calculated CRC32C \\\"y\\\".\"}}");
        assertThatThrownBy(() -> put(bucket(GcsChecksum.CRC32C)))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("changed on their way");
    }

    /** Load balancers and proxies send this answer. */
    @Test
    void aRefusalWithoutAReasonIsNoThrottling() {
        service.answerWith(503, Map.of("Content-Type", "text/html"), "<html>no healthy upstream</html>");
        assertThatThrownBy(() -> put(bucket(GcsChecksum.CRC32C)))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(StoreThrottledException.class)
                .hasMessageContaining("HTTP 503");
    }

    @Test
    void aServiceThatIsNotThereIsUnavailable() {
        service.close();
        assertThatThrownBy(() -> put(bucket(GcsChecksum.CRC32C)))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(StoreThrottledException.class)
                .hasMessageContaining("no connection")
                .hasMessageContaining("Check the endpoint");
    }

    @Test
    void credentialsThatAreRefusedSaySoAndNothingOfThemIsShown() throws Exception {
        PrivateKey key = privateKey();
        answerWith(400, "{\"error\":\"invalid_grant\",\"error_description\":\"account not found\"}");
        assertThatThrownBy(() -> put(bucket(account(key))))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("credentials were refused")
                .hasMessageContaining("clock");
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    void aTokenIsFetchedOnceAndSent() throws Exception {
        answerWith(
                200,
                "{\"access_token\":\"abc\",\"token_type\":\"Bearer\",\"expires_in\":3600,\"bucket\":\"bucket\",\"name\":\"key\"}");
        GcsBucket bucket = bucket(account(privateKey()));
        put(bucket);
        put(bucket);
        assertThat(service.requests()).hasSize(3);
        assertThat(service.requests().get(2).headers().getFirst("Authorization"))
                .isEqualTo("Bearer abc");
    }

    @Test
    void aRegisterIsReadAtOneGeneration() {
        String answer =
                "{\"bucket\":\"bucket\",\"name\":\"key\",\"generation\":\"7\",\"size\":\"99\",\"updated\":\"2026-01-02T03:04:05.678Z\"}";
        answerWith(200, answer);
        assertThat(bucket(GcsChecksum.NONE).read("key", 99)).hasValueSatisfying(register -> {
            assertThat(register.version()).isEqualTo("7");
            assertThat(register.text()).isEqualTo(answer);
            assertThat(register.stored()).isEqualTo(Instant.parse("2026-01-02T03:04:05.678Z"));
        });
        assertThat(service.requests().get(1).uri()).contains("ifGenerationMatch=7", "alt=media");
    }

    /** Other content has the register's name. The client must not read it into memory. */
    @Test
    void aRegisterThatIsTooLongIsNotRead() {
        answerWith(200, "{\"bucket\":\"bucket\",\"name\":\"key\",\"generation\":\"7\",\"size\":\"99\"}");
        assertThatThrownBy(() -> bucket(GcsChecksum.NONE).read("key", 98))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll("it has 99 bytes, more than 98", "prefix of their own");
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    void aRegisterThatIsReplacedAgainAndAgainIsReadFiveTimes() {
        answerWith(412, "{\"error\":{\"code\":412,\"message\":\"no\"}}");
        assertThatThrownBy(() -> bucket(GcsChecksum.NONE).read("key", 99))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(service.requests()).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 412})
    void aRegisterThatChangedMeanwhileIsNotReplaced(int status) {
        answerWith(status, "{\"error\":{\"code\":" + status + ",\"message\":\"no\"}}");
        assertThat(bucket(GcsChecksum.NONE).putIfVersion("key", "7", new byte[3]))
                .isFalse();
        assertThat(service.requests().get(0).uri()).contains("ifGenerationMatch=7");
    }

    /**
     * An object accepts about one write per second. If a write gets no answer, the next read shows
     * whether it had an effect.
     */
    @ParameterizedTest
    @CsvSource({
        "429, rateLimitExceeded, StoreThrottledException",
        "503, backendError, StoreThrottledException",
        "500, internalError, StoreUnavailableException"
    })
    void aReplacementWithoutAnAnswerIsNoRefusal(int status, String reason, String type) {
        answerWith(
                status,
                "{\"error\":{\"code\":" + status
                        + ",\"message\":\"no\",\"errors\":[{\"domain\":\"global\",\"reason\":\"" + reason
                        + "\",\"message\":\"no\"}]}}");
        assertThatThrownBy(() -> bucket(GcsChecksum.NONE).putIfVersion("key", "7", new byte[3]))
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
        assertThat(service.requests()).hasSize(1);
    }

    private void answerWith(int status, String body) {
        service.answerWith(status, Map.of("Content-Type", "application/json; charset=UTF-8"), body);
    }

    private static PrivateKey privateKey() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair().getPrivate();
    }

    private Credentials account(PrivateKey key) {
        return ServiceAccountCredentials.newBuilder()
                .setClientEmail("shuffle@project.iam.gserviceaccount.com")
                .setPrivateKey(key)
                .setPrivateKeyId("1")
                .setTokenServerUri(URI.create(service.endpoint() + "/token"))
                .setHttpTransportFactory(client::transport)
                .build();
    }

    private GcsBucket bucket(GcsChecksum checksum) {
        return bucket(NoCredentials.getInstance(), checksum);
    }

    private GcsBucket bucket(Credentials credentials) {
        return bucket(credentials, GcsChecksum.CRC32C);
    }

    private GcsBucket bucket(Credentials credentials, GcsChecksum checksum) {
        return new GcsBucket(
                client.storage(credentials, Optional.of(service.endpoint()), Optional.empty()),
                "bucket",
                checksum,
                () -> {});
    }

    private void put(GcsBucket bucket) {
        TrackedContent content = loans.content("a piece ".getBytes(), new byte[0], "and another".getBytes());
        try {
            bucket.put("key", content);
        } finally {
            content.release();
        }
    }
}
